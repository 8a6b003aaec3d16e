#include "lab/baselines/classifier.h"
#include "lab/baselines/methods.h"
#include "lab/baselines/rows.h"

namespace dppl {
namespace {

BaselineResult train(const BaselineInput& input, SeededRandom&) {
  return {nearest_prototype(input.train.dim, class_sums(input.train, input.threads))};
}

}  // namespace

Baseline class_mean() { return {"class-mean", "without privacy: nearest class mean, by cosine", false, {}, train}; }

}  // namespace dppl
