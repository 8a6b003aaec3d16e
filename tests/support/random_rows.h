#pragma once

#include <vector>

#include "dppl/random.h"
#include "rows/quantised_rows.h"

namespace dppl::testing {

inline std::vector<float> random_floats(size_t count, uint64_t seed) {
  SeededRandom random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(static_cast<int64_t>(random.next64()) >> 20) * 0x1p-40f;
  return values;
}

inline QuantisedRows random_quantised(size_t rows, size_t dim, uint64_t seed) {
  QuantisedRows result(rows, dim);
  for (size_t i = 0; i < rows; ++i) result.set(i, random_floats(dim, seed + i));
  return result;
}

}  // namespace dppl::testing
