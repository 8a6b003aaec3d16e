#include "audit/duel.h"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>

#include "audit/clopper_pearson.h"
#include "audit/constants.h"
#include "base/parallel.h"

namespace dppl {
namespace {

using Sample = std::vector<double>;

std::array<Sample, 2> simulate(const Duel& duel, uint64_t fits, unsigned threads) {
  std::array<Sample, 2> samples{Sample(fits), Sample(fits)};
  parallel_blocks(2 * fits, 256, threads, [&](size_t begin, size_t end, unsigned) {
    SecureRandom random;
    for (size_t i = begin; i < end; ++i) samples[i % 2][i / 2] = duel.simulate(static_cast<int>(i % 2), random);
  });
  return samples;
}

// Told above the threshold it was data set 1, else 0; the event whose probabilities are compared is one of the two.
struct Test {
  double threshold = 0;
  bool above = true;
};

uint64_t hits(const Sample& sample, const Test& test) {
  return static_cast<uint64_t>(std::count_if(sample.begin(), sample.end(),
                                             [&](double value) { return (value > test.threshold) == test.above; }));
}

double normal_quantile(double p) { return -std::sqrt(2.0) * boost::math::erfc_inv(2 * p); }

double bound_of(const Duel& duel, const std::array<Sample, 2>& samples, const Test& test, double confidence) {
  const double alpha = (1 - confidence) / 2;  // two bounds
  const size_t likely = test.above ? 1 : 0;
  const uint64_t trials = samples[0].size();
  const double p = clopper_pearson_lower(hits(samples[likely], test), trials, alpha);
  const double q = clopper_pearson_upper(hits(samples[1 - likely], test), trials, alpha);
  if (duel.measure == AuditMeasure::mu) return p > 0 && q < 1 ? normal_quantile(p) - normal_quantile(q) : 0;
  return p > duel.delta.get_d() ? std::log((p - duel.delta.get_d()) / q) : 0;
}

Test best_test(const Duel& duel, const std::array<Sample, 2>& pilot, double confidence) {
  Sample values = pilot[0];
  values.insert(values.end(), pilot[1].begin(), pilot[1].end());
  std::sort(values.begin(), values.end());
  const double step = duel.measure == AuditMeasure::mu ? kMuStep : kEpsilonStep;
  Test best;
  double best_bound = -1;
  for (int i = 1; i < kThresholds; ++i) {
    const double quantile = 1 / (1 + std::exp(-step * (i - kThresholds / 2)));
    for (const bool above : {true, false}) {
      const Test test{values[static_cast<size_t>(quantile * static_cast<double>(values.size() - 1))], above};
      const double bound = bound_of(duel, pilot, test, confidence);
      if (bound > best_bound) {
        best = test;
        best_bound = bound;
      }
    }
  }
  return best;
}

}  // namespace

AuditResult run_duel(const Duel& duel, uint64_t fits, double confidence, unsigned threads) {
  const auto trials = static_cast<uint64_t>(duel.effort * static_cast<double>(fits));
  const Test test = best_test(duel, simulate(duel, std::max<uint64_t>(trials / 5, 100), threads), confidence);
  AuditResult result;
  result.name = duel.name;
  result.neighbours = duel.neighbours;
  result.measure = duel.measure;
  result.claim = duel.claim;
  result.delta = duel.delta;
  result.reach = duel.reach;
  result.trials = trials;
  result.lower_bound = bound_of(duel, simulate(duel, trials, threads), test, confidence);
  return result;
}

}  // namespace dppl
