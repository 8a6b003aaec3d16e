#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/row_math.h"

// What is asked of rows of bytes when they are read.
namespace dppl {

// Their sum and their sum of squares. Precondition: n at most 100,000.
ByteTotals byte_totals(const int8_t* x, size_t n);

// The largest |x_2i| + |x_2i+1|; the last one alone where n is odd.
int32_t largest_byte_pair(const int8_t* x, size_t n);

}  // namespace dppl
