#include "lab/baselines/descent.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/spectrum.h"
#include "lab/baselines/classifier.h"
#include "lab/baselines/rows.h"

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

BaselineSettings descent_settings(double steps, double rate, const BaselineSettings& others) {
  BaselineSettings settings = {{"steps", steps}, {"rate", rate}, {"clip", 1},          {"momentum", 0},
                               {"decay", 0},     {"records", 0}, {"count_share", 0.01}};
  settings.insert(others.begin(), others.end());
  return settings;
}

BaselineResult softmax_descent(const BaselineInput& input, Account& account, Random& random, const RecordCount& count,
                               double share, const std::function<double(double)>& factor,
                               const std::function<void(const DescentStep&)>& before_step) {
  const double clip = input.settings.at("clip"), steps = input.settings.at("steps");
  Descent descent(std::vector<double>(input.train.classes * input.train.dim), input.settings);
  BaselineResult result;
  for (double t = 0; t < steps; ++t) {
    ScaledGradient gradient = scaled_gradient(input.train, descent.weights(), factor, input.threads);
    add_noise(gradient.sum, account.gaussian(share / steps, clip), random);
    divide(gradient.sum, count.value());
    before_step({gradient, result.trace});
    descent.step(gradient.sum);
    result.trace["loss"].push_back(mean(gradient.losses));
    report_progress(input, t + 1);
  }
  result.classifier = linear_classifier(input.train.dim, descent.weights());
  result.rho_spent = account.spent();
  return result;
}

Eigen::MatrixXd noisy_inverse_moment(const BaselineInput& input, Account& account, Random& random,
                                     const RecordCount& count, double share, std::span<const float> weights) {
  Eigen::MatrixXd moment = second_moment(input.train.values, input.train.dim, weights, input.threads);
  add_symmetric_noise(moment, account.gaussian(share, 1), random);
  return floored_inverse(moment / count.value(), input.settings.at("lambda"));
}

void report_progress(const BaselineInput& input, double steps) {
  if (input.progress) input.progress(std::min(1.0, steps / input.settings.at("steps")));
}

double mean(std::span<const float> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void divide(std::span<double> values, double by) {
  for (double& value : values) value /= by;
}

}  // namespace dppl
