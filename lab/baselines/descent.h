#pragma once

#include <span>
#include <vector>

#include "dppl/baselines.h"
#include "lab/baselines/noise.h"

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

double mean(std::span<const float> values);
void divide(std::span<double> values, double by);

}  // namespace dppl
