#pragma once

#include <cmath>

#include "dppl/embeddings.h"
#include "random/simulation.h"

// A public pool that can be tuned on.
namespace dppl::testing {

inline constexpr size_t kDim = 48;

// Forty clouds in a space in which the leading coordinates are wide.
inline PublicData clouds(size_t rows = 3000) {
  SeededRandom random(3);
  std::vector<double> centres(40 * kDim);
  for (size_t i = 0; i < centres.size(); ++i)
    centres[i] = normal(random) / std::sqrt(1.0 + static_cast<double>(i % kDim));
  std::vector<float> values;
  for (size_t i = 0; i < rows; ++i) {
    const size_t cloud = random.next64() % 40;
    for (size_t k = 0; k < kDim; ++k) {
      values.push_back(static_cast<float>(centres[cloud * kDim + k] + 0.3 * normal(random)));
    }
  }
  return PublicData::from_memory(std::move(values), kDim);
}

}  // namespace dppl::testing
