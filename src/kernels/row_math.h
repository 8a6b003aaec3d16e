#pragma once

#include <cstddef>
#include <cstdint>

// Float work on single rows, with the same bits wherever a row stands, on every instruction set and with any number of
// threads: each sum has one fixed order of additions, nothing is fused, and vectors run across independent results
// only. So removing one record never changes what another record becomes.
namespace dppl {

// Σ x_i² in double.
double sum_of_squares(const float* x, size_t n);

// out_i = x_i·scale, multiplied in double so that no scale overflows, then rounded to float.
void scale_row(const float* x, size_t n, double scale, float* out);

// 1/√Σ x_i², by which a row gets length 1; 0 for a row of zeros.
double inverse_length(const float* x, size_t n);
// The row with length 1; zeros stay zeros. `out` may be x.
void normalise_row(const float* x, size_t n, float* out);

// rows: count × inner; basis: inner × outer (row-major, so that basis[j·outer + k] multiplies element j into result k);
// out: count × outer; out[r][k] = Σ_j rows[r][j]·basis[j][k], j ascending.
void project_rows(const float* rows, size_t count, size_t inner, const float* basis, size_t outer, float* out);

// gram[(i − begin)·n + j] += Σ_r rows[r][i]·rows[r][j] for begin <= i < end and j <= i, r ascending (a few entries with
// j > i are written too).
void add_gram(const float* rows, size_t count, size_t n, size_t begin, size_t end, float* gram);

// x_i·scale (multiplied in double), truncated toward zero. Returns the sum of the squares of these integers: exactly up
// to 2^53, and more than 2^53 where it is more. Precondition: the results fit 32 bits.
double truncate_row(const float* x, size_t n, double scale, int32_t* out);

// The same, added to sum_i. With −scale it is taken off again: x·(−scale) truncates to the opposite integer.
double add_truncated_row(const float* x, size_t n, double scale, int64_t* sum);

// The largest |x_2k| + |x_2k+1|, in double.
double largest_pair(const float* x, size_t n);

// x_i·scale (multiplied in double), rounded to the nearest integer, halves away from zero; their sum and sum of
// squares. Preconditions: the results fit 8 bits, n at most 100,000.
struct ByteTotals {
  int32_t sum, squares;
};
ByteTotals round_row(const float* x, size_t n, double scale, int8_t* out);

// sum_i += factor·x_i. Precondition: factor below 2^24.
void add_multiple(const int8_t* x, size_t n, int32_t factor, int64_t* sum);

// Σ x_i·y_i in double.
double byte_dot(const int8_t* x, const double* y, size_t n);

}  // namespace dppl
