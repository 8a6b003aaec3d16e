#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "dppl/error.h"
#include "kernels/gemm.h"
#include "lab/baselines/methods.h"
#include "lab/baselines/projection.h"
#include "lab/baselines/rows.h"
#include "lab/constants.h"
#include "random/simulation.h"

// DPPL-Public after a trained projection: each class chooses one projected row of the pool by the exponential
// mechanism, with clipped cosines as utility.
namespace dppl {
namespace {

// Σ over the class of the cosine to each candidate, clipped to [low, high] and scaled to [0, 1].
Eigen::ArrayXd utilities(std::span<const float> rows, std::span<const float> candidates, size_t dim, double low,
                         double high) {
  const size_t count = rows.size() / dim, many = candidates.size() / dim;
  Eigen::ArrayXd sums = Eigen::ArrayXd::Zero(static_cast<Eigen::Index>(many));
  Eigen::ArrayXf some(sums.size());
  std::vector<float> cosines(std::min(kScoredRows, count) * many);
  for (size_t begin = 0; begin < count; begin += kScoredRows) {
    const size_t here = std::min(kScoredRows, count - begin);
    multiply_rows(rows.data() + begin * dim, here, dim, candidates.data(), many, cosines.data());
    some.setZero();
    for (size_t i = 0; i < here; ++i) {
      const Eigen::Map<const Eigen::ArrayXf> row(cosines.data() + i * many, sums.size());
      some += row.max(static_cast<float>(low)).min(static_cast<float>(high)) - static_cast<float>(low);
    }
    sums += some.cast<double>();
  }
  return sums / (high - low);
}

// Gumbel noise makes the largest value a draw with probability ∝ exp(ε·utility).
Eigen::Index choose(const Eigen::ArrayXd& utility, double epsilon, Random& random) {
  Eigen::Index best = 0;
  if (std::isinf(epsilon)) {
    utility.maxCoeff(&best);
    return best;
  }
  double highest = -INFINITY;
  for (Eigen::Index j = 0; j < utility.size(); ++j) {
    const double value = epsilon * utility[j] - std::log(-std::log(uniform(random)));
    if (value > highest) {
      highest = value;
      best = j;
    }
  }
  return best;
}

BaselineResult train(const BaselineInput& input, SeededRandom& random) {
  const auto& settings = input.settings;
  const size_t from = input.train.dim, classes = input.train.classes;
  const double low = settings.at("clip_min"), high = settings.at("clip_max");
  if (low >= high) {
    throw InvalidInput(fmt::format("setting clip_min is {:g}, but must be below clip_max, {:g}", low, high));
  }
  if (input.pool.empty()) throw InvalidInput("projection-public needs rows of a public pool");
  Account account(input.rho);
  BaselineResult result;
  const Projection projection = train_projection(input, account, random, result.trace["loss"]);
  const double epsilon = account.exponential(1 - settings.at("share"));
  const size_t dim = projection.dim;
  const std::vector<float> values = projection.apply(input.train.values, from, input.threads);
  const GroupedRows rows = group_by_class({values, dim, input.train.labels, classes});
  const auto many =
      static_cast<size_t>(std::min(settings.at("candidates"), static_cast<double>(input.pool.size() / from)));
  const std::vector<float> candidates = projection.apply(input.pool.first(many * from), from, input.threads);
  const SeededRandom streams(random.next64());
  std::vector<double> prototypes(classes * dim);
  parallel_blocks(classes, 1, input.threads, [&](size_t c, size_t, unsigned) {
    Random stream = streams.stream(c);
    const Eigen::Index chosen = choose(utilities(rows.of(c), candidates, dim, low, high), epsilon, stream);
    std::copy_n(candidates.data() + static_cast<size_t>(chosen) * dim, dim, prototypes.data() + c * dim);
  });
  result.classifier = nearest_projected(projection, from, std::move(prototypes));
  result.rho_spent = account.spent();
  return result;
}

}  // namespace

Baseline projection_public() {
  BaselineSettings defaults = projection_settings();
  defaults.insert({{"candidates", 10000}, {"clip_min", 0}, {"clip_max", 1}});
  return {"projection-public",
          "one public row per class, chosen after a linear projection that was trained with DP-SGD",
          true,
          std::move(defaults),
          train,
          true};
}

}  // namespace dppl
