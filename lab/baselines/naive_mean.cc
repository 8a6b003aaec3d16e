#include <algorithm>

#include "lab/baselines/means.h"
#include "lab/baselines/methods.h"

// The mean of clipped rows with Gaussian noise (Kamath & Ullman 2020; DPPL-Mean as its paper states it). Replacing a
// record of a class with n records moves its mean by at most 2·clip/n. Class counts are taken as public: under
// add/remove this noise would reveal them.
namespace dppl {
namespace {

BaselineResult train(const BaselineInput& input, SeededRandom& random) {
  const double clip = input.settings.at("clip");
  const GroupedRows rows = group_by_class(input.train);
  Account account(input.rho);
  const double sigma = account.gaussian(1, 2 * clip);
  BaselineResult result;
  result.classifier = prototypes_by_class(input, random, [&](size_t c, Random& stream, std::span<double> prototype) {
    const double n = static_cast<double>(std::max<size_t>(rows.count(c), 1));
    std::vector<double> mean = clipped_sum(rows.of(c), std::vector<double>(rows.dim), clip);
    for (double& value : mean) value /= n;
    add_noise(mean, sigma / n, stream);
    std::copy(mean.begin(), mean.end(), prototype.begin());
  });
  result.rho_spent = account.spent();
  return result;
}

}  // namespace

Baseline naive_mean() {
  return {"naive-mean",
          "nearest noisy mean of clipped rows; class counts public, neighbours replace a record within its class",
          true,
          {{"clip", 1}},
          train};
}

}  // namespace dppl
