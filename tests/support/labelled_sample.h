#pragma once

#include "dppl/embeddings.h"
#include "support/random_rows.h"

// Records of two classes that are far apart, for tests of fits and of what they are made of.
namespace dppl::testing {

inline constexpr size_t kDim = 24;

inline std::vector<float> random_rows(size_t count, uint64_t seed, size_t dim = kDim) {
  return random_floats(count * dim, seed);
}

// Class c lies around coordinate c. 3 declared classes, the last one without a record.
struct Sample {
  std::vector<float> values;
  std::vector<int64_t> labels;
};
inline Sample sample(size_t records = 40) {
  Sample result{random_rows(records, 1), {}};
  for (size_t i = 0; i < records; ++i) {
    result.labels.push_back(static_cast<int64_t>(i % 2));
    result.values[i * kDim + i % 2] += 100;
  }
  return result;
}
inline PrivateData data_of(const Sample& sample) {
  return PrivateData::from_memory(sample.values, kDim, sample.labels, ClassSet::numbered(3));
}

}  // namespace dppl::testing
