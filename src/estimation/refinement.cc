#include "estimation/refinement.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "estimation/constants.h"
#include "estimation/prototype_scaling.h"

namespace dppl {
Refinement::Refinement(const Posterior& start, std::span<const double> variances, const Options& options, double sigma)
    : offsets_(start.strengths.size()) {
  const size_t classes = offsets_.size(), dim = variances.size();
  weights_ = compared_whiter(start.means, variances);
  for (double& value : weights_) value *= kStartLength;
  velocity_.resize(weights_.size());
  ahead_ = weights_;
  // A strength is the size of a class times how closely its records agree, which differs little between classes.
  const double largest = *std::max_element(start.strengths.begin(), start.strengths.end());
  for (size_t c = 0; c < classes; ++c) offsets_[c] = std::log(start.strengths[c] / largest);
  const double records = std::accumulate(start.strengths.begin(), start.strengths.end(), 0.0);
  const double by_noise = options.rate * kStartLength / (sigma * std::sqrt(static_cast<double>(dim) * options.steps));
  rate_ = std::min(by_noise, kLongestStep * static_cast<double>(classes) / records);
}

void Refinement::step(std::span<const double> gradient) {
  for (size_t i = 0; i < weights_.size(); ++i) {
    velocity_[i] = kMomentum * velocity_[i] - (1 - kMomentum) * rate_ * gradient[i];
    weights_[i] = std::clamp(weights_[i] + velocity_[i], -kLargestWeight, kLargestWeight);
    ahead_[i] = std::clamp(weights_[i] + kMomentum * velocity_[i], -kLargestWeight, kLargestWeight);
  }
}

std::vector<float> Refinement::prototypes(double tau) const {
  const size_t dim = weights_.size() / classes();
  std::vector<float> result(weights_.size());
  for (size_t i = 0; i < result.size(); ++i) {
    result[i] = static_cast<float>(weights_[i] * std::exp(-tau * offsets_[i / dim]));
  }
  return result;
}

}  // namespace dppl
