#include "lab/baselines/descent.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dppl {

RecordCount::RecordCount(const BaselineInput& input, Account& account, Random& random)
    : value_(input.settings.at("records")) {
  if (value_ > 0) return;
  share_ = input.settings.at("count_share");
  value_ = static_cast<double>(input.train.count()) + account.gaussian(share_, 1) * Normals(random).next();
  value_ = std::max(value_, static_cast<double>(input.train.classes));  // steps stay finite whatever the noise
}

Descent::Descent(std::vector<double> start, const BaselineSettings& settings)
    : rate_(settings.at("rate")),
      momentum_(settings.at("momentum")),
      decay_(settings.at("decay")),
      weights_(std::move(start)),
      velocity_(weights_.size()) {}

void Descent::step(std::span<const double> direction) {
  for (size_t k = 0; k < weights_.size(); ++k) {
    velocity_[k] = momentum_ * velocity_[k] + direction[k] + decay_ * weights_[k];
    weights_[k] -= rate_ * velocity_[k];
  }
}

double mean(std::span<const float> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void divide(std::span<double> values, double by) {
  for (double& value : values) value /= by;
}

}  // namespace dppl
