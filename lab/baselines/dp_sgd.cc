#include "lab/baselines/descent.h"
#include "lab/baselines/methods.h"

// Linear probing with DP-SGD (Abadi et al. 2016), full batch: every step releases the sum of clipped gradients, which a
// record moves by at most `clip`. T steps with noise clip·z cost T/(2z²).
namespace dppl {
namespace {

BaselineResult train(const BaselineInput& input, SeededRandom& random) {
  Account account(input.rho);
  const RecordCount count(input, account, random);
  return softmax_descent(input, account, random, count, 1 - count.share(), clipping(input.settings.at("clip")),
                         [](const DescentStep&) {});
}

}  // namespace

Baseline dp_sgd() {
  return {"dp-sgd", "softmax regression by full-batch gradient descent with clipped gradients and Gaussian noise", true,
          descent_settings(50, 100), train};
}

}  // namespace dppl
