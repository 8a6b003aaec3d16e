#include "lab/baselines/methods.h"
#include "lab/baselines/rows.h"

namespace dppl {
namespace {

BaselineResult run(const BaselineInput& input, SeededRandom&) {
  return {predict_nearest(input.test, input.train.dim, class_sums(input.train, input.threads), input.threads)};
}

}  // namespace

Baseline class_mean() { return {"class-mean", "without privacy: nearest class mean, by cosine", false, {}, run}; }

}  // namespace dppl
