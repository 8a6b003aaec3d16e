#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "audit/sensitivity.h"

// The input is a pool, a transform, records and one record or person more, as raw numbers. Whatever they are: refused,
// or the record or person moves every statistic by at most what its noise is made for.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 8) return 0;
  dppl::SensitivityCase one;
  one.dim = 1 + data[0] % 6;
  one.classes = 1 + data[1] % 3;
  one.transform.kind = static_cast<dppl::TransformSpec::Kind>(1 + data[2] % 4);
  if (one.transform.kind >= dppl::TransformSpec::Kind::pca) one.transform.directions = 1 + data[3] % one.dim;
  if (one.transform.kind == dppl::TransformSpec::Kind::whiten) {
    one.transform.eigen_power = static_cast<double>(1 + data[4] % 100) / 100;
  }
  one.seed = data[5];
  const size_t pool_rows = 1 + data[6] % 8;
  std::vector<float> values((size - 8) / sizeof(float));
  std::memcpy(values.data(), data + 8, values.size() * sizeof(float));
  if (values.size() < (pool_rows + 1) * one.dim) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(pool_rows * one.dim);
  one.pool.assign(values.begin(), middle);
  one.values.assign(middle, values.end());
  one.values.resize(std::min<size_t>(one.values.size() / one.dim, 16) * one.dim);
  for (size_t i = 0; i < one.values.size() / one.dim; ++i) {
    one.labels.push_back(static_cast<int64_t>((i + data[7]) % one.classes));
  }
  one.place = data[7] % one.labels.size();
  // Every other input is of people.
  for (size_t i = 0; data[5] % 2 == 1 && i < one.labels.size(); ++i) {
    one.people.push_back(static_cast<int64_t>((i * data[6] + data[7]) % (1 + one.labels.size() / 3)));
  }
  if (const auto moved = dppl::moved_by_one_more(one)) {
    for (const dppl::Moved& statistic : *moved) {
      if (!(statistic.share <= 1)) std::abort();
    }
  }
  return 0;
}
