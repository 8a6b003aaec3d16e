#include "audit/likelihood.h"

#include <algorithm>
#include <cmath>

#include "dppl/error.h"
#include "estimation/refinement.h"
#include "statistics/class_counts/class_counts.h"
#include "statistics/class_sums/class_sums.h"
#include "statistics/second_moment/second_moment.h"

namespace dppl {
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

// Of both data sets, what does not depend on released values.
struct Likelihood::World {
  Settings settings;
  PublicTransform transform;
  std::shared_ptr<const PoolPrior> prior;
  std::vector<int64_t> sums[2], sizes[2], moments[2];
  std::deque<SmallRows> rows;
  std::deque<GradientSums> gradients;

  const MeanSettings& mean() const { return std::get<MeanSettings>(settings); }
};

Likelihood::Likelihood(const Neighbours& neighbours, const PublicData& pool, const BudgetSpec& budget)
    : pool_(pool), budget_(budget), classes_(neighbours.classes), data_{neighbours.data(0), neighbours.data(1)} {}

Likelihood::~Likelihood() = default;

const Likelihood::World& Likelihood::world_of(const Model& model) const {
  const std::lock_guard lock(mutex_);
  for (const World& known : worlds_) {
    if (known.settings == model.settings) return known;
  }
  World& world = worlds_.emplace_back(World{model.settings, model.transform, nullptr, {}, {}, {}, {}, {}});
  const MeanSettings& settings = world.mean();
  if (settings.shrinkage) world.prior = std::make_shared<PoolPrior>(PoolPrior::of(pool_, world.transform, 1));
  for (const size_t i : {0u, 1u}) {
    const PrivateAccess access(data_[i]);
    const Records records{access, classes_, world.transform};
    SmallRows& rows = world.rows.emplace_back(records.size(), records.dim());
    world.sums[i] = class_sums(records, rows).values;
    world.sizes[i] = class_counts(records.labels(), classes_).values;
    if (settings.metric() != nullptr) world.moments[i] = second_moment(rows, 1).values;
    if (settings.gradient_steps() != nullptr) world.gradients.emplace_back(rows, records.labels(), 1);
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
  const MeanSettings& settings = world.mean();
  const GradientSteps& steps = *settings.gradient_steps();
  std::vector<double> sums(model.sums.size());
  for (size_t i = 0; i < sums.size(); ++i) sums[i] = static_cast<double>(model.sums[i]) * model.unit;
  const double sigma = std::sqrt(model.noise_variance.get_d()) * model.unit;
  const Rational rho = budget_.amount * (1 - model.size_share) * steps.share;
  Refinement refinement(posterior(sums, sigma, *world.prior, settings.shrinkage->prior_variance.get_d(), 1),
                        {.lift = settings.shrinkage->lift.get_d(), .rate = steps.rate.get_d(), .steps = steps.steps},
                        gradient_sigma(rho.get_d(), steps.steps));
  double ratio = 0;
  for (const Transcript::Sum& sum : transcript.sums) {
    if (sum.what != "gradient") continue;
    const SoftmaxPoint point{refinement.weights(), refinement.offsets()};
    ratio += gaussian_log_ratio(sum.values, world.gradients[0].at(point).values, world.gradients[1].at(point).values,
                                sum.variance);
    std::vector<double> gradient(sum.values.size());
    for (size_t i = 0; i < gradient.size(); ++i) gradient[i] = static_cast<double>(sum.values[i]) * kGradientUnit;
    refinement.step(gradient);
  }
  return ratio;
}

}  // namespace dppl
