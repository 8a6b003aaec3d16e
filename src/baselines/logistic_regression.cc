#include <cmath>
#include <numeric>

#include "baselines/descent.h"
#include "baselines/methods.h"
#include "baselines/rows.h"
#include "baselines/softmax_gradient.h"

// min mean loss + decay·|W|²/2, by Nesterov's accelerated gradient with restarts (O'Donoghue & Candès 2015).
namespace dppl {
namespace {

constexpr double kTolerance = 1e-4;  // of the gradient's first length

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// The largest eigenvalue of the rows' mean second moment, by the power method, rounded up.
double largest_variance(const LabelledRows& rows, unsigned threads) {
  const Eigen::MatrixXd moment = second_moment(rows.values, rows.dim, {}, threads);
  Eigen::VectorXd direction = moment * Eigen::VectorXd::Ones(moment.rows());
  double value = 0;
  for (int i = 0; i < 50; ++i) {
    direction.normalize();
    const Eigen::VectorXd next = moment * direction;
    value = next.norm();
    direction = next;
  }
  return 1.05 * value / static_cast<double>(rows.count());
}

BaselineResult run(const BaselineInput& input, SeededRandom&) {
  const double n = static_cast<double>(input.train.count()), decay = input.settings.at("decay");
  // The softmax loss bends at most half as much as its scores' squares (Böhning 1992).
  const double rate = 1 / (largest_variance(input.train, input.threads) / 2 + decay);
  std::vector<double> weights(input.train.classes * input.train.dim), ahead = weights;
  double momentum = 1, first = 0;
  BaselineResult result;
  for (double step = 0; step < input.settings.at("steps"); ++step) {
    ScaledGradient gradient = scaled_gradient(
        input.train, ahead, [](double) { return 1.0; }, input.threads);
    for (size_t k = 0; k < ahead.size(); ++k) gradient.sum[k] = gradient.sum[k] / n + decay * ahead[k];
    const double length = std::sqrt(dot(gradient.sum, gradient.sum));
    result.trace["loss"].push_back(mean(gradient.losses) + decay / 2 * dot(ahead, ahead));
    result.trace["gradient"].push_back(length);
    if (step == 0) first = length;
    if (length <= kTolerance * first) break;
    std::vector<double> next = ahead, moved(ahead.size());
    for (size_t k = 0; k < next.size(); ++k) {
      next[k] -= rate * gradient.sum[k];
      moved[k] = next[k] - weights[k];
    }
    if (dot(gradient.sum, moved) > 0) momentum = 1;  // uphill: start anew
    const double after = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    for (size_t k = 0; k < next.size(); ++k) ahead[k] = next[k] + (momentum - 1) / after * moved[k];
    momentum = after;
    weights = std::move(next);
  }
  result.predicted = predict(input.test, input.train.dim, ahead, input.threads);
  return result;
}

}  // namespace

Baseline logistic_regression() {
  return {"logistic-regression",
          "without privacy: softmax regression with an L2 penalty, trained until it no longer moves",
          false,
          {{"decay", 1e-4}, {"steps", 1000}},
          run};
}

}  // namespace dppl
