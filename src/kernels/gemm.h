#pragma once

#include <cstddef>

namespace dppl {

// out[r][c] = Σ_k rows[r][k]·columns[c][k]: rows is count × inner, columns is outer × inner, both row-major. One
// thread. Public or already released values only: the order of additions is the library's. It is the same for every row
// of a call and of all calls of up to 512 rows, wherever the row stands.
void multiply_rows(const float* rows, size_t count, size_t inner, const float* columns, size_t outer, float* out);

// out[r][c] = Σ_k left[k][r]·right[k][c]: left is inner × count, right is inner × outer, all row-major. One
// thread, public or released values only.
void multiply_columns(const float* left, size_t inner, size_t count, const float* right, size_t outer, float* out);

}  // namespace dppl
