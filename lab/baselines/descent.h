#pragma once

#include <Eigen/Core>
#include <functional>
#include <span>
#include <vector>

#include "dppl/baselines.h"
#include "lab/baselines/noise.h"
#include "lab/baselines/softmax_gradient.h"

// What the methods that train by noisy gradients share.
namespace dppl {

// By what a sum over records is divided: the number of records is private under add/remove, so it is either a public
// guess (setting "records") or a noisy count that costs "count_share" of the budget.
class RecordCount {
 public:
  RecordCount(const BaselineInput& input, Account& account, Random& random);
  double value() const { return value_; }
  double share() const { return share_; }  // of the budget, spent

 private:
  double value_, share_ = 0;
};

// Weights that follow mean gradients, with settings "rate", "momentum" and "decay".
class Descent {
 public:
  Descent(std::vector<double> start, const BaselineSettings& settings);
  std::span<const double> weights() const { return weights_; }
  void step(std::span<const double> direction);

 private:
  double rate_, momentum_, decay_;
  std::vector<double> weights_, velocity_;
};

// The settings of softmax_descent() and RecordCount, and those of the method that uses them.
BaselineSettings descent_settings(double steps, double rate, const BaselineSettings& others = {});

// What a method may look at and change before the weights follow it.
struct DescentStep {
  ScaledGradient& gradient;  // its sum is noisy and divided
  std::map<std::string, std::vector<double>>& trace;
};

// Softmax regression by noisy gradients, from weights of zero: in each of "steps" steps the sum of scaled gradients,
// none of them longer than "clip" then, is released for its part of `share` and divided by the count. What a
// method does beside that, it does in `before_step`. The trace has the loss.
BaselineResult softmax_descent(const BaselineInput& input, Account& account, Random& random, const RecordCount& count,
                               double share, const std::function<double(double norm)>& factor,
                               const std::function<void(const DescentStep&)>& before_step);

// The inverse of the rows' second moment, whose eigenvalues are floored by "lambda". The moment, with these weights of
// at most 1 (none: all are 1), is noisy for its part of the budget, with sensitivity 1, and divided by the count.
Eigen::MatrixXd noisy_inverse_moment(const BaselineInput& input, Account& account, Random& random,
                                     const RecordCount& count, double share, std::span<const float> weights = {});

// Of "steps".
void report_progress(const BaselineInput& input, double steps);

double mean(std::span<const float> values);
void divide(std::span<double> values, double by);

}  // namespace dppl
