#include "audit/likelihood.h"

#include <algorithm>
#include <cmath>

#include "dppl/error.h"
#include "statistics/class_sums/class_sums.h"
#include "statistics/second_moment/second_moment.h"

namespace dppl {
namespace {

const std::function<void(double)> kSilent;

}  // namespace

double gaussian_log_ratio(std::span<const int64_t> released, std::span<const int64_t> before,
                          std::span<const int64_t> after, double variance) {
  double ratio = 0;
  for (size_t k = 0; k < released.size(); ++k) {
    if (before[k] == after[k]) continue;
    const auto from_before = static_cast<double>(released[k] - before[k]),
               from_after = static_cast<double>(released[k] - after[k]);
    ratio += (from_before * from_before - from_after * from_after) / (2 * variance);
  }
  return ratio;
}

struct Likelihood::World {
  Hyperparameters settings;
  PublicTransform transform;
  std::shared_ptr<const PoolPrior> prior;
  std::vector<int64_t> sums[2], sizes[2], moments[2];
  std::deque<PrivateAccess> access;
  std::deque<FitInput> inputs;
  std::deque<GradientSums> gradients;
};

Likelihood::Likelihood(const Neighbours& neighbours, const PublicData& pool, const BudgetSpec& budget)
    : pool_(pool), budget_(budget), classes_(neighbours.classes), data_{neighbours.data(0), neighbours.data(1)} {}

Likelihood::~Likelihood() = default;

const Likelihood::World& Likelihood::world_of(const Model& model) const {
  const std::lock_guard lock(mutex_);
  for (const World& known : worlds_) {
    if (known.settings == model.hyperparameters) return known;
  }
  World& world = worlds_.emplace_back(World{model.hyperparameters, model.transform, nullptr, {}, {}, {}, {}, {}, {}});
  if (world.settings.shrink) {
    world.prior = std::make_shared<PoolPrior>(PoolPrior::of(pool_, world.transform, 1));
  }
  for (const size_t i : {0u, 1u}) {
    const PrivateAccess& access = world.access.emplace_back(data_[i]);
    const FitInput& input =
        world.inputs.emplace_back(FitInput{access, classes_, &pool_, world.transform, world.settings, 1, kSilent});
    ClassSums exact = class_sums(input, clip_of(world.settings));
    world.sums[i] = std::move(exact.sums);
    world.sizes[i] = std::move(exact.counts);
    if (world.settings.metric_share > 0) world.moments[i] = exact_second_moment(input);
    if (world.settings.refine_steps > 0) world.gradients.emplace_back(input);
  }
  return world;
}

double Likelihood::log_ratio(const Transcript& transcript) const {
  const World& world = world_of(transcript.model);
  double ratio = 0;
  for (const Transcript::Sum& sum : transcript.sums) {
    const auto add = [&](const std::vector<int64_t>(&exact)[2]) {
      ratio += gaussian_log_ratio(sum.values, exact[0], exact[1], sum.variance);
    };
    if (sum.what == "class sizes") add(world.sizes);
    if (sum.what == "class sums") add(world.sums);
    if (sum.what == "second moment") add(world.moments);
  }
  return world.gradients.empty() ? ratio : ratio + gradients_ratio(transcript, world);
}

double Likelihood::gradients_ratio(const Transcript& transcript, const World& world) const {
  const Model& model = transcript.model;
  const Hyperparameters& settings = world.settings;
  std::vector<double> sums(model.sums.size());
  for (size_t i = 0; i < sums.size(); ++i) sums[i] = static_cast<double>(model.sums[i]) * model.unit;
  const double sigma = std::sqrt(model.noise_variance.get_d()) * model.unit;
  const Rational share = (1 - settings.size_share) * settings.refine_share;
  Refinement refinement(posterior(sums, sigma, *world.prior, settings.spread.get_d(), 1), settings,
                        Refinement::sigma_of(Rational(budget_.amount * share).get_d(), settings.refine_steps));
  double ratio = 0;
  for (const Transcript::Sum& sum : transcript.sums) {
    if (sum.what != "gradient") continue;
    ratio += gaussian_log_ratio(sum.values, world.gradients[0].exact(refinement), world.gradients[1].exact(refinement),
                                sum.variance);
    std::vector<double> gradient(sum.values.size());
    for (size_t i = 0; i < gradient.size(); ++i) gradient[i] = static_cast<double>(sum.values[i]) * GradientSums::kUnit;
    refinement.step(gradient);
  }
  return ratio;
}

}  // namespace dppl
