#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "dppl/baselines.h"
#include "random/simulation.h"

namespace dppl::testing {

// Rows of unit length around one random centre a class, and a public pool around the same centres and others.
struct Clouds {
  size_t dim, classes;
  std::vector<float> train, test, pool;
  std::vector<uint32_t> labels, test_labels;

  Clouds(size_t d, size_t c, size_t per_class, double spread = 0.5, uint64_t seed = 1) : dim(d), classes(c) {
    SeededRandom random(seed);
    std::vector<double> centres(2 * c * d);
    for (double& value : centres) value = normal(random);
    const auto add = [&](std::vector<float>& rows, size_t centre) {
      std::vector<double> row(d);
      double squares = 0;
      for (size_t k = 0; k < d; ++k) {
        row[k] = centres[centre * d + k] + 2 * spread * normal(random);
        squares += row[k] * row[k];
      }
      for (const double value : row) rows.push_back(static_cast<float>(value / std::sqrt(squares)));
    };
    for (size_t i = 0; i < per_class * c; ++i) {
      const size_t label = i % c;
      add(train, label);
      labels.push_back(static_cast<uint32_t>(label));
      add(test, label);
      test_labels.push_back(static_cast<uint32_t>(label));
      add(pool, i % (2 * c));
    }
  }

  LabelledRows rows() const { return {train, dim, labels, classes}; }
  BaselineInput input() const { return {.train = rows(), .pool = pool}; }
  std::vector<uint32_t> predicted(const BaselineResult& result) const { return predict(result.classifier, test); }
  double accuracy(const std::vector<uint32_t>& predicted) const {
    double right = 0;
    for (size_t i = 0; i < predicted.size(); ++i) right += predicted[i] == test_labels[i] ? 1 : 0;
    return right / static_cast<double>(predicted.size());
  }
};

inline BaselineResult run(std::string_view name, const BaselineInput& input, uint64_t seed = 5) {
  SeededRandom random(seed);
  return train_baseline(find_baseline(name), input, random);
}

}  // namespace dppl::testing
