#include <bit>
#include <cmath>

#include "audit/sensitivity.h"
#include "random/simulation.h"

namespace dppl {
namespace {

float any_float(Random& random, unsigned style) {
  switch (style) {
    case 0:
      return static_cast<float>(normal(random));
    case 1:  // any magnitude
      return static_cast<float>(std::ldexp(normal(random), static_cast<int>(random.next64() % 250) - 125));
    case 2: {  // any bits that are a number
      const auto value = std::bit_cast<float>(static_cast<uint32_t>(random.next64()));
      return std::isfinite(value) ? value : 1;
    }
    default:
      return random.next64() % 4 == 0 ? 1.0f : 0.0f;
  }
}

std::vector<float> any_rows(Random& random, size_t rows, size_t dim) {
  std::vector<float> values(rows * dim);
  const auto style = static_cast<unsigned>(random.next64() % 4);
  for (float& value : values) value = any_float(random, style);
  // Nearly the same row again and again, which hardly varies.
  if (random.next64() % 4 == 0) {
    const auto step = static_cast<float>(std::ldexp(1.0, -static_cast<int>(random.next64() % 80)));
    for (size_t i = dim; i < values.size(); ++i) values[i] = i % dim == 0 ? values[i % dim] : step * values[i];
  }
  return values;
}

TransformSpec any_transform(Random& random, size_t dim) {
  TransformSpec spec;
  spec.kind = static_cast<TransformSpec::Kind>(1 + random.next64() % 4);
  if (spec.kind >= TransformSpec::Kind::pca) spec.directions = 1 + random.next64() % dim;
  if (spec.kind == TransformSpec::Kind::whiten) spec.eigen_power = static_cast<double>(1 + random.next64() % 100) / 100;
  return spec;
}

}  // namespace

SensitivityCase random_case(Random& random) {
  SensitivityCase result;
  result.dim = 1 + random.next64() % 8;
  result.classes = 1 + random.next64() % 4;
  result.pool = any_rows(random, 1 + random.next64() % 30, result.dim);
  const size_t records = 1 + random.next64() % 10;
  result.values = any_rows(random, records, result.dim);
  for (size_t i = 0; i < records; ++i) result.labels.push_back(static_cast<int64_t>(random.next64() % result.classes));
  result.transform = any_transform(random, result.dim);
  result.place = random.next64() % records;
  result.seed = random.next64();
  return result;
}

SensitivityCase random_case_of_people(Random& random) {
  SensitivityCase result = random_case(random);
  const size_t more = random.next64() % 9;
  const std::vector<float> rows = any_rows(random, more, result.dim);
  // Some of them the same again, which add up to the longest there is.
  for (size_t i = 0; i < more * result.dim; ++i) {
    result.values.push_back(more % 2 == 0 ? rows[i] : result.values[i % result.dim]);
  }
  for (size_t i = 0; i < more; ++i) {
    result.labels.push_back(static_cast<int64_t>(random.next64() % result.classes));
  }
  for (size_t i = 0; i < result.labels.size(); ++i) {
    result.people.push_back(static_cast<int64_t>(random.next64() % (1 + result.labels.size() / 3)));
  }
  return result;
}

}  // namespace dppl
