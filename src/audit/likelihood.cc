#include "audit/likelihood.h"

#include <algorithm>
#include <cmath>

#include "dppl/error.h"
#include "estimation/centre.h"
#include "estimation/class_size_estimate.h"
#include "estimation/pool_posterior.h"
#include "estimation/refinement.h"
#include "statistics/class_counts/class_counts.h"
#include "statistics/class_sums/class_sums.h"
#include "statistics/gradient_sum/gradient_sum.h"
#include "statistics/second_moment/second_moment.h"
#include "statistics/weighted_total/weighted_total.h"

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

// Of both data sets, the exact statistics of rows that are seen through one transform.
struct Likelihood::Exact {
  std::vector<int64_t> sums[2], moments[2];
  std::deque<SmallRows> rows;
  std::deque<GradientSums> gradients;
};

// Of both data sets, what does not depend on released values.
struct Likelihood::World {
  Settings settings;
  PublicTransform transform;  // before its centre is moved
  std::shared_ptr<const PoolPrior> prior;
  std::vector<int64_t> sizes[2];
  std::shared_ptr<const Exact> exact;  // where no centre is moved and nobody is turned to small classes

  const MeanSettings& mean() const { return std::get<MeanSettings>(settings); }
};

Likelihood::Likelihood(const Neighbours& neighbours, const PublicData& pool, const BudgetSpec& budget)
    : pool_(pool), budget_(budget), classes_(neighbours.classes), data_{neighbours.data(0), neighbours.data(1)} {}

Likelihood::~Likelihood() = default;

std::shared_ptr<const Likelihood::Exact> Likelihood::exact_of(const MeanSettings& settings,
                                                              const PublicTransform& transform,
                                                              std::span<const double> sizes) const {
  auto exact = std::make_shared<Exact>();
  for (const size_t i : {0u, 1u}) {
    const PrivateAccess access(data_[i]);
    const Records records{access, classes_, transform, 1, sizes};
    SmallRows& rows = exact->rows.emplace_back(records.size(), records.dim());
    exact->sums[i] = class_sums(records, rows).values;
    if (settings.metric() != nullptr) exact->moments[i] = second_moment(rows, access, 1).values;
    if (settings.gradient_steps() != nullptr) exact->gradients.emplace_back(rows, access, 1);
  }
  return exact;
}

const Likelihood::World& Likelihood::world_of(const Model& model) const {
  const std::lock_guard lock(mutex_);
  for (const World& known : worlds_) {
    if (known.settings == model.settings) return known;
  }
  const TransformSpec& spec = transform_of(model.settings);
  World& world = worlds_.emplace_back(
      World{model.settings, PublicTransform::compute(spec, data_[0].dim(), pool_, 1), nullptr, {}, nullptr});
  const MeanSettings& settings = world.mean();
  if (settings.shrinkage || settings.center_share > 0) {
    world.prior = std::make_shared<PoolPrior>(PoolPrior::of(pool_, world.transform, 1));
  }
  for (const size_t i : {0u, 1u}) world.sizes[i] = class_counts(PrivateAccess(data_[i]), classes_).values;
  if (settings.center_share == 0 && settings.person_split == PersonSplit::equal) {
    world.exact = exact_of(settings, world.transform);
  }
  return world;
}

namespace {

// What follows from the noisy sizes, which were released before everything else.
std::vector<double> sizes_of(const Transcript& transcript) {
  const auto sizes = std::ranges::find(transcript.sums, "class sizes", &Transcript::Sum::what);
  if (sizes == transcript.sums.end()) throw Error("audit: something was released that needs class sizes before it");
  return estimate_class_sizes(sizes->values, sizes->variance);
}

}  // namespace

double Likelihood::centre_ratio(const Transcript& transcript, const Transcript::Sum& centre, const World& world) const {
  const std::vector<int64_t> weights = centre_weights(sizes_of(transcript), kFullWeight);
  std::vector<int64_t> totals[2];
  for (const size_t i : {0u, 1u}) {
    const PrivateAccess access(data_[i]);
    totals[i] = weighted_total({access, classes_, world.transform}, weights, world.prior->row_length).values;
  }
  return gaussian_log_ratio(centre.values, totals[0], totals[1], centre.variance);
}

double Likelihood::log_ratio(const Transcript& transcript) const {
  const World& world = world_of(transcript.model);
  // With a centre, rows are seen through the transform that the model ended with.
  const bool by_size = world.mean().person_split == PersonSplit::small_classes;
  const std::shared_ptr<const Exact> exact =
      world.exact
          ? world.exact
          : exact_of(world.mean(), transcript.model.transform, by_size ? sizes_of(transcript) : std::vector<double>());
  double ratio = 0;
  for (const Transcript::Sum& sum : transcript.sums) {
    const auto add = [&](const std::vector<int64_t>(&values)[2]) {
      ratio += gaussian_log_ratio(sum.values, values[0], values[1], sum.variance);
    };
    if (sum.what == "class sizes") add(world.sizes);
    if (sum.what == "centre") ratio += centre_ratio(transcript, sum, world);
    if (sum.what == "class sums") add(exact->sums);
    if (sum.what == "second moment") add(exact->moments);
  }
  return exact->gradients.empty() ? ratio : ratio + gradients_ratio(transcript, world, *exact);
}

double Likelihood::gradients_ratio(const Transcript& transcript, const World& world, const Exact& exact) const {
  const Model& model = transcript.model;
  const MeanSettings& settings = world.mean();
  const GradientSteps& steps = *settings.gradient_steps();
  std::vector<double> sums(model.sums.size());
  for (size_t i = 0; i < sums.size(); ++i) sums[i] = static_cast<double>(model.sums[i]) * model.unit;
  const double sigma = std::sqrt(model.noise_variance.get_d()) * model.unit;
  const Rational rho = budget_.amount * (1 - model.size_share) * steps.share;
  Refinement refinement(posterior(sums, sigma, *world.prior, settings.shrinkage->prior_variance.get_d(), 1),
                        world.prior->variances, {.rate = steps.rate.get_d(), .steps = steps.steps},
                        gradient_sigma(rho.get_d(), steps.steps));
  double ratio = 0;
  for (const Transcript::Sum& sum : transcript.sums) {
    if (sum.what != "gradient") continue;
    const SoftmaxPoint point{refinement.weights(), refinement.offsets()};
    ratio += gaussian_log_ratio(sum.values, exact.gradients[0].at(point).values, exact.gradients[1].at(point).values,
                                sum.variance);
    std::vector<double> gradient(sum.values.size());
    for (size_t i = 0; i < gradient.size(); ++i) gradient[i] = static_cast<double>(sum.values[i]) * kGradientUnit;
    refinement.step(gradient);
  }
  return ratio;
}

}  // namespace dppl
