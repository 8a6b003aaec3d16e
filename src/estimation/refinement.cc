#include "estimation/refinement.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "estimation/prototype_scaling.h"

namespace dppl {
namespace {

// A prototype's score with a row lies between −1 and 1; a classifier that is right as often as it is sure needs more.
constexpr double kScale = 15;
// Times the number of classes, over that of the records: a step that converges.
constexpr double kLongestStep = 5;
// Of the largest class: no class is taken for smaller than this.
constexpr double kSmallest = 0.01;
// Weights stay in this range, and scores finite.
constexpr double kLargestWeight = 4096;

double mean_length(std::span<const double> rows, size_t count) {
  const size_t dim = rows.size() / count;
  double total = 0;
  for (size_t c = 0; c < count; ++c) {
    const auto row = rows.subspan(c * dim, dim);
    total += std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
  }
  return total / static_cast<double>(count);
}

}  // namespace

Refinement::Refinement(const Posterior& start, const Options& options, double sigma)
    : offsets_(start.strengths.size()) {
  const size_t classes = offsets_.size();
  const double scale = kScale * std::pow(mean_length(start.means, classes), options.lift);
  for (const float value : scale_prototypes(start.means, classes, options.lift)) {
    weights_.push_back(scale * static_cast<double>(value));
  }
  // A strength is the size of a class times how closely its records agree, which differs little between classes.
  const double largest = *std::max_element(start.strengths.begin(), start.strengths.end());
  for (size_t c = 0; c < classes; ++c) offsets_[c] = std::log(std::max(start.strengths[c] / largest, kSmallest));
  const double records = std::accumulate(start.strengths.begin(), start.strengths.end(), 0.0);
  const double dim = static_cast<double>(weights_.size()) / static_cast<double>(classes);
  rate_ = std::min(options.rate * kScale / (sigma * std::sqrt(dim * options.steps)),
                   kLongestStep * static_cast<double>(classes) / records);
}

void Refinement::step(std::span<const double> gradient) {
  for (size_t i = 0; i < weights_.size(); ++i) {
    weights_[i] = std::clamp(weights_[i] - rate_ * gradient[i], -kLargestWeight, kLargestWeight);
  }
}

std::vector<float> Refinement::prototypes(double balance) const {
  const size_t dim = weights_.size() / classes();
  std::vector<float> result(weights_.size());
  for (size_t i = 0; i < result.size(); ++i) {
    result[i] = static_cast<float>(weights_[i] * std::exp(-balance * offsets_[i / dim]));
  }
  return result;
}

}  // namespace dppl
