#include <cmath>
#include <deque>
#include <numeric>

#include "lab/baselines/classifier.h"
#include "lab/baselines/descent.h"
#include "lab/baselines/methods.h"
#include "lab/baselines/softmax_gradient.h"
#include "lab/constants.h"

// min mean loss + decay·|W|²/2 by L-BFGS (Liu & Nocedal 1989).
namespace dppl {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

// a + factor·b
Vector plus(Vector a, double factor, const Vector& b) {
  for (size_t k = 0; k < a.size(); ++k) a[k] += factor * b[k];
  return a;
}

struct Point {
  Vector weights, gradient;
  double loss = 0;
};

Point evaluate(const BaselineInput& input, Vector weights) {
  const double n = static_cast<double>(input.train.count()), decay = input.settings.at("decay");
  ScaledGradient sum = scaled_gradient(
      input.train, weights, [](double) { return 1.0; }, input.threads);
  divide(sum.sum, n);
  const double loss = mean(sum.losses) + decay / 2 * dot(weights, weights);
  Vector gradient = plus(std::move(sum.sum), decay, weights);
  return {std::move(weights), std::move(gradient), loss};
}

// Steps and changes of the gradient, the latest last: an idea of the inverse second derivative.
class Memory {
 public:
  void add(Vector step, Vector change) {
    const double product = dot(step, change);
    if (product <= 0) return;
    pairs_.push_back({std::move(step), std::move(change), product});
    if (pairs_.size() > kRememberedSteps) pairs_.pop_front();
  }

  Vector direction(const Vector& gradient) const {
    Vector result = plus(Vector(gradient.size()), -1, gradient);
    std::vector<double> parts;
    for (auto pair = pairs_.rbegin(); pair != pairs_.rend(); ++pair) {
      parts.push_back(dot(pair->step, result) / pair->product);
      result = plus(std::move(result), -parts.back(), pair->change);
    }
    if (!pairs_.empty()) {
      const double scale = pairs_.back().product / dot(pairs_.back().change, pairs_.back().change);
      for (double& value : result) value *= scale;
    }
    for (const Pair& pair : pairs_) {
      const double factor = parts.back() - dot(pair.change, result) / pair.product;
      result = plus(std::move(result), factor, pair.step);
      parts.pop_back();
    }
    return result;
  }

  void forget() { pairs_.clear(); }
  bool empty() const { return pairs_.empty(); }

 private:
  struct Pair {
    Vector step, change;
    double product;
  };
  std::deque<Pair> pairs_;
};

BaselineResult train(const BaselineInput& input, SeededRandom&) {
  Point now = evaluate(input, Vector(input.train.classes * input.train.dim));
  const double first = std::sqrt(dot(now.gradient, now.gradient));
  BaselineResult result;
  Memory memory;
  double evaluations = 1;
  while (true) {
    report_progress(input, evaluations);
    const double length = std::sqrt(dot(now.gradient, now.gradient));
    result.trace["loss"].push_back(now.loss);
    result.trace["gradient"].push_back(length);
    if (length <= kGradientTolerance * first || evaluations >= input.settings.at("steps")) break;
    const Vector direction = memory.direction(now.gradient);
    const double slope = dot(direction, now.gradient);
    // The loss bends at most by 1/2 + decay on rows of length 1; from there on the memory knows the scale.
    double factor = memory.empty() ? 1 / (0.5 + input.settings.at("decay")) : 1;
    Point next = evaluate(input, plus(now.weights, factor, direction));
    for (++evaluations; next.loss > now.loss + 1e-4 * factor * slope && factor > 1e-6; ++evaluations) {
      next = evaluate(input, plus(now.weights, factor /= 4, direction));
    }
    if (!(next.loss < now.loss)) {
      if (memory.empty()) break;  // as low as float sums can tell
      memory.forget();
      continue;
    }
    memory.add(plus(next.weights, -1, now.weights), plus(next.gradient, -1, now.gradient));
    now = std::move(next);
  }
  result.classifier = linear_classifier(input.train.dim, now.weights);
  return result;
}

}  // namespace

Baseline logistic_regression() {
  return {"logistic-regression",
          "without privacy: softmax regression with an L2 penalty, trained until it no longer moves",
          false,
          {{"decay", 1e-5}, {"steps", 1000}},
          train};
}

}  // namespace dppl
