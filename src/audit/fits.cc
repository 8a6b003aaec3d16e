#include "audit/fits.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>

#include "audit/constants.h"
#include "audit/likelihood.h"
#include "dppl/fit.h"
#include "methods/shared_fits.h"
#include "statistics/pair_scores/score_reference.h"

namespace dppl {
namespace {

// ρ = 1/2 of zCDP by Gaussian noise alone is 1-GDP.
BudgetSpec gaussian_budget(Relation relation) { return BudgetSpec::zcdp(Rational(1, 2), relation); }

// Where this thread's fit writes down what is released.
thread_local Transcript* writing = nullptr;

// Everything that many fits on two data sets share.
class Fitter {
 public:
  Fitter(Neighbours neighbours, std::vector<float> pool, const Settings& settings, const BudgetSpec& budget,
         std::shared_ptr<const ClassKnowledge> knowledge = nullptr)
      : neighbours_(std::move(neighbours)),
        pool_(PublicData::from_memory(std::move(pool), neighbours_.dim, 1)),
        budget_(budget),
        data_{neighbours_.data(0), neighbours_.data(1)},
        likelihood_(neighbours_, pool_, budget) {
    const auto write = [](const Release& release) {
      if (writing == nullptr) return;
      writing->sums.push_back(
          {std::string(release.what), {release.values.begin(), release.values.end()}, release.variance});
    };
    const FitOptions options{.settings = settings, .threads = 1, .released = write, .knowledge = std::move(knowledge)};
    const SharedFits shared{.pool = std::make_shared<PoolCache>(pool_, 1), .confidence = false};
    for (const PrivateData& data : data_) plans_.push_back(plan_fit(data, pool_, options, budget_, shared));
  }

  const Neighbours& neighbours() const { return neighbours_; }
  const PublicData& pool() const { return pool_; }

  Transcript simulate(int world, Random& random) const {
    Transcript transcript{{}, Model{.transform = PublicTransform::restore({}, neighbours_.dim, {}, {})}};
    writing = &transcript;
    transcript.model = model(world, random);
    writing = nullptr;
    return transcript;
  }

  // The same where the model says it all.
  Model model(int world, Random& random) const {
    return plans_[static_cast<size_t>(world)].run(Budget::unledgered(budget_), random);
  }

  double log_ratio(const Transcript& transcript) const { return likelihood_.log_ratio(transcript); }

 private:
  Neighbours neighbours_;
  PublicData pool_;
  BudgetSpec budget_;
  PrivateData data_[2];
  std::deque<FitPlan> plans_;
  Likelihood likelihood_;
};

Settings mean_settings(const char* transform = "none") {
  return MeanSettings{.transform = TransformSpec::parse(transform)};
}

Duel gaussian_duel(const std::string& name, const Neighbours& neighbours, const Settings& settings, double reach,
                   size_t pool_rows_each = 8) {
  const auto fitter = std::make_shared<Fitter>(neighbours, rows_around_axes(neighbours.dim, pool_rows_each, 3),
                                               settings, gaussian_budget(neighbours.relation()));
  return {
      .name = "fit " + name,
      .neighbours = neighbours.words,
      .measure = AuditMeasure::mu,
      .claim = 1,
      .reach = reach,
      .simulate = [fitter](int world, Random& random) { return fitter->log_ratio(fitter->simulate(world, random)); }};
}

// ---- Selection: the record points where few of the candidates are, away from all others.

const Rational kEpsilon = 3;
// Events of probability 1/200 are counted: more fits than Gaussian noise needs.
constexpr double kRareEffort = 8;

// The first `near` candidates lie where the record does, the others opposite.
std::vector<float> opposite_rows(size_t dim, size_t near, size_t others) {
  std::vector<float> rows((near + others) * dim);
  for (size_t i = 0; i < near + others; ++i) rows[i * dim] = i < near ? 1.0f : -1.0f;
  return rows;
}

// The event is that nothing is chosen but what is near: as many candidates as are chosen for a class, among as many
// others as are said for one row per class and for sets.
struct Others {
  size_t for_one, for_sets;
};
Duel choice_duel(const std::string& name, const Neighbours& neighbours, const Settings& settings,
                 const BudgetSpec& budget, Others others, double reach,
                 std::shared_ptr<const ClassKnowledge> knowledge = nullptr) {
  const auto* many = std::get_if<PublicKSettings>(&settings);
  const size_t near = many != nullptr ? many->k : 1;
  const auto fitter = std::make_shared<Fitter>(
      neighbours, opposite_rows(neighbours.dim, near, near == 1 ? others.for_one : others.for_sets), settings, budget,
      std::move(knowledge));
  return {.name = "fit " + name,
          .neighbours = neighbours.words,
          .measure = AuditMeasure::epsilon,
          .claim = kEpsilon,
          .reach = reach,
          .effort = kRareEffort,
          .simulate = [fitter, near](int world, Random& random) {
            const std::vector<uint64_t> chosen = fitter->model(world, random).pool_indices;
            return std::ranges::all_of(chosen, [&](uint64_t index) { return index < near; }) ? 1.0 : 0.0;
          }};
}

Duel selection_duel(const std::string& name, const Settings& settings, const BudgetSpec& budget) {
  return choice_duel(name, first_of_all(), settings, budget, {199, 18}, kReach);  // one of 200, or of C(20, 2) = 190
}

// A person in two classes: each choice says half of what it would for a record, and both together as much. Both classes
// get what is near, one of 25 candidates or of C(7, 2) = 21 pairs each; what a choice gains is the less the more likely
// its outcome was before, so that 0.9 of the claim is out of reach.
Duel person_selection_duel(const std::string& name, const Settings& settings, double reach = 0.75,
                           std::shared_ptr<const ClassKnowledge> knowledge = nullptr) {
  const Neighbours neighbours = first_person_of_all();
  return choice_duel(name + " for people", neighbours, settings, BudgetSpec::pure(kEpsilon, neighbours.relation()),
                     {24, 5}, reach, std::move(knowledge));
}

// Public examples of both classes that say the same as the person's records: what is near is likely before, so that the
// claim is out of reach.
Duel person_with_examples_duel() {
  const size_t dim = first_person_of_all().dim;
  const auto knowledge =
      std::make_shared<ClassKnowledge>(ClassSet::numbered(2), PublicData::from_memory(opposite_rows(dim, 2, 0), dim, 1),
                                       std::vector<int64_t>{0, 1}, std::nullopt);
  return person_selection_duel("public with examples", PublicSettings{}, 0, knowledge);
}

// On an empty class and with one record more, the logarithm of the likelihood ratio of a choice is ε/top times the
// score that the record gives it (the least of a set of them), but for a constant.
double choice_log_ratio(const Model& model, const Neighbours& neighbours, const PublicData& pool, double epsilon) {
  const auto* one = std::get_if<PublicSettings>(&model.settings);
  const ScoreClip& clip = one != nullptr ? one->clip : std::get<PublicKSettings>(model.settings).clip;
  const ScoreRange range = ScoreRange::of(clip.min, clip.max);
  const size_t chosen = model.prototypes_per_class, dim = model.output_dim();
  QuantisedRows rows(chosen + 1, dim);
  std::vector<float> row(neighbours.dim), transformed(dim);
  int64_t least = range.top();
  const auto set = [&](size_t i, std::span<const float> values) {
    model.transform.apply(values, transformed);
    rows.set(i, transformed);
  };
  set(chosen, neighbours.record());
  for (size_t i = 0; i < chosen; ++i) {
    set(i, pool.embeddings().row_view(model.pool_indices[i], row));
    least = std::min(least, score_reference(rows, chosen, rows, i, range));
  }
  return epsilon * static_cast<double>(least) / static_cast<double>(range.top());
}

// Some rows are just where the record is, and none of the others near: they alone get what the record can give.
std::vector<float> few_along_first_axis(size_t dim) {
  constexpr size_t kFew = 5;
  std::vector<float> rows = opposite_rows(dim, kFew, 0);
  std::vector<float> others = rows_around_axes(dim, 80, 4);
  for (size_t i = 0; i < others.size() / dim; ++i) {
    const auto row = std::span(others).subspan(i * dim, dim);
    if (std::abs(row[0]) >= 0.5f) continue;
    row[0] *= 0.1f;
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

// The choice of settings waits for noisy class sizes (Laplace noise, a hundredth of ε); then the exponential mechanism.
Duel pure_auto_duel() {
  const Neighbours neighbours = first_of_all();
  const auto fitter = std::make_shared<Fitter>(neighbours, few_along_first_axis(neighbours.dim), AutoSettings{},
                                               BudgetSpec::pure(kEpsilon));
  return {.name = "fit auto (pure)",
          .neighbours = neighbours.words,
          .measure = AuditMeasure::epsilon,
          .claim = kEpsilon,
          .reach = kReach,
          .effort = 14,
          .simulate = [fitter](int world, Random& random) {
            const Transcript transcript = fitter->simulate(world, random);
            const double for_sizes = Rational(kSizeShare * kEpsilon).get_d(), epsilon = kEpsilon.get_d() - for_sizes;
            const auto size = static_cast<double>(transcript.sums.at(0).values[0]);
            return choice_log_ratio(transcript.model, fitter->neighbours(), fitter->pool(), epsilon) +
                   for_sizes * (std::abs(size) - std::abs(size - 1));
          }};
}

// Just as many rows as `auto` asks for, twice per axis: every fit looks at all of them.
constexpr size_t kPoolForAuto = 16;

Duel with_effort(Duel duel, double effort) {
  duel.effort = effort;
  return duel;
}

std::vector<Duel> gaussian_fits() {
  const Settings metric = MeanSettings{.extra = SecondMomentMetric{Rational(1, 2)}};
  const Settings refined = MeanSettings{
      .transform = TransformSpec::parse("whiten:4"),
      .shrinkage = Shrinkage{},
      .extra = GradientSteps{.steps = 3, .share = Rational(1, 2), .rate = Rational(1, 2)},
  };
  const Settings centred = MeanSettings{
      .transform = TransformSpec::parse("whiten:4"), .center_share = Rational(1, 2), .shrinkage = Shrinkage{}};
  return {
      gaussian_duel("mean", at_the_rim(0), mean_settings(), kReach),
      gaussian_duel("mean", at_the_rim(1), mean_settings(), kReach),
      gaussian_duel("mean, whiten:4", at_the_rim(20), mean_settings("whiten:4"), kReach),
      gaussian_duel("mean, pca:5", anywhere(5), mean_settings("pca:5"), 0),
      gaussian_duel("mean with a metric", at_the_rim(1), metric, kReach),
      gaussian_duel("mean with a metric", anywhere(6), metric, 0),
      gaussian_duel("mean with gradient steps", among_others(), refined, kReach),
      gaussian_duel("mean with gradient steps", anywhere(7), refined, 0),
      // A record weighs less in the centre where its class is above the median by the noisy sizes, which a class of two
      // among three often is: the claim is reached in classes of like size. Sizes, centre and sums share it: with as
      // few fits as for the others, chance decides whether enough of it is seen.
      gaussian_duel("mean with a centre", at_the_rim(1), centred, 0),
      with_effort(gaussian_duel("mean with a centre", anywhere(9), centred, kReach), 2),
      gaussian_duel("auto", at_the_rim(0), AutoSettings{}, kReach, kPoolForAuto),
      gaussian_duel("auto", anywhere(8), AutoSettings{}, 0, kPoolForAuto),
      gaussian_duel("mean for people", person_at_the_rim(), mean_settings(), kReach),
      gaussian_duel("mean, small classes first, for people", person_at_the_rim(),
                    with_person_split(mean_settings(), PersonSplit::small_classes), 0),
      gaussian_duel("mean with a metric for people", person_at_the_rim(), metric, 0),
      gaussian_duel("mean with a centre for people", person_at_the_rim(), centred, 0),
      gaussian_duel("mean with gradient steps for people", person_among_others(), refined, kReach),
      gaussian_duel("auto for people", person_at_the_rim(), AutoSettings{}, 0, kPoolForAuto),
  };
}

}  // namespace

std::vector<Duel> honest_fits() {
  std::vector<Duel> duels = gaussian_fits();
  const BudgetSpec pure = BudgetSpec::pure(kEpsilon);
  const auto by = [](SelectionMechanism mechanism) { return PublicSettings{.mechanism = mechanism}; };
  const PublicSettings threshold{.clip = ScoreClip::threshold(Rational(3, 2))};
  for (const Duel& duel :
       {selection_duel("public", PublicSettings{}, pure),
        selection_duel("public (zCDP budget)", PublicSettings{}, BudgetSpec::zcdp(kEpsilon * kEpsilon / 8)),
        selection_duel("public, threshold", threshold, pure),
        selection_duel("public, permute-and-flip", by(SelectionMechanism::permute_and_flip), pure),
        selection_duel("public, laplace", by(SelectionMechanism::laplace), pure),
        selection_duel("public-k", PublicKSettings{.k = 2}, pure), pure_auto_duel(),
        person_selection_duel("public", PublicSettings{}), person_with_examples_duel(),
        person_selection_duel("public, permute-and-flip", by(SelectionMechanism::permute_and_flip)),
        person_selection_duel("public, laplace", by(SelectionMechanism::laplace)),
        person_selection_duel("public-k", PublicKSettings{.k = 2})}) {
    duels.push_back(duel);
  }
  return duels;
}

}  // namespace dppl
