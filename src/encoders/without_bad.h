#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dppl {

// The values of the images that have a row. `bad` are the places of the others, in order.
template <typename Value>
std::vector<Value> without_bad(const std::vector<Value>& values, const std::vector<uint64_t>& bad) {
  std::vector<Value> kept;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::binary_search(bad.begin(), bad.end(), i)) kept.push_back(values[i]);
  }
  return kept;
}

}  // namespace dppl
