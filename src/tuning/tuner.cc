#include "tuning/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "dppl/error.h"
#include "rows/pool_spectrum.h"
#include "rows/public_access.h"
#include "tuning/simulate.h"

namespace dppl {
namespace {

using Kind = TransformSpec::Kind;

constexpr size_t kMostDirections = 512;
constexpr size_t kDirections[] = {16, 32, 64, 128, 256, 512};
constexpr double kEigenPowers[] = {0.2, 0.5};
const Rational kMetricShare{1, 10};
// Of class means around the pool's atoms. Between 1 and 4 little changes that the lift does not change as well.
const Rational kPriorVariance = 2;
constexpr double kRatios[] = {1, 10, 100};
// The space, and gradient steps or none, are those with the best balanced accuracy. With them, whatever comes this near
// to the best may serve the minority instead, whose accuracy then counts by the weight on top of its part in the
// balanced one. A lift costs about twice as much here as on real data.
constexpr double kSacrifice = 0.015, kMinorityWeight = 0.75;
// Numbers of directions that are looked at with every setting, after a first look with one.
constexpr size_t kFinalists = 3;
// Of the simulated pool: fewer than in a fit, for speed.
constexpr size_t kAtoms = 2048;

// Without a lift: the noisy sums as they are, without the pool.
MeanSettings sums_settings(const TransformSpec& transform, const std::optional<Rational>& lift, const Rational& share) {
  MeanSettings settings{.transform = transform};
  if (lift) settings.shrinkage = Shrinkage{kPriorVariance, *lift};
  if (share > 0) settings.extra = SecondMomentMetric{share};
  return settings;
}
Trial sums_trial(const TransformSpec& transform, const std::optional<Rational>& lift, const Rational& share) {
  return {.settings = sums_settings(transform, lift, share)};
}

bool is_refined(const Trial& trial) {
  const auto* mean = std::get_if<MeanSettings>(&trial.settings);
  return mean != nullptr && mean->gradient_steps() != nullptr;
}

// Gradient steps: how many, their share of the budget and their length, and what is tried at their ends. On real
// classes little changes around these. Small classes need good sums to start from; where there are none, gradients may
// have more.
constexpr unsigned kRefineSteps = 30;
struct Steps {
  Rational share, rate, lift;
  std::vector<Rational> balances;
};
const Steps kBalancedSteps{Rational(1, 2), Rational(2, 3), Rational(1, 5), {Rational(0), Rational(1, 20)}},
    kSteps{Rational(1, 4), Rational(2, 5), Rational(3, 10), {Rational(1, 20)}};

// How much more gradient steps bring on real classes, whose borders are less simple than those of two neighbourhoods.
constexpr double kSimpleBorders = 0.014;

bool expects_less(const Trial& a, const Trial& b) { return a.expected < b.expected; }

// Few data sets are simulated with gradients, and neighbouring numbers of directions perform equally: instead of the
// one that was luckiest, the middle of those that may be best, each weighted by how likely that is. The minority, which
// prefers few, counts a little beyond its part in the balanced accuracy. In steps of an eighth to a quarter, so that
// budgets share spaces.
constexpr double kSimulationError = 0.005, kMinorityInSpaces = 0.3;
size_t likely_directions(std::span<const Trial> trials) {
  const auto worth = [](const Trial& trial) { return trial.expected + kMinorityInSpaces * trial.minority; };
  double best = 0, weights = 0, logarithms = 0;
  for (const Trial& trial : trials) best = std::max(best, worth(trial));
  for (const Trial& trial : trials) {
    const double weight = std::exp((worth(trial) - best) / kSimulationError);
    weights += weight;
    logarithms += weight * std::log2(static_cast<double>(transform_of(trial.settings).directions));
  }
  const double middle = std::exp2(logarithms / weights), step = std::exp2(std::floor(std::log2(middle)) - 2);
  return static_cast<size_t>(step * std::round(middle / step));
}

std::vector<Trial> refined_trials(const TransformSpec& transform, const Steps& steps) {
  std::vector<Trial> result;
  for (const Rational& balance : steps.balances) {
    MeanSettings settings = sums_settings(transform, steps.lift, 0);
    settings.extra = GradientSteps{kRefineSteps, steps.share, steps.rate, balance};
    result.push_back({.settings = settings});
  }
  return result;
}

Trial selection_trial(const TransformSpec& transform, const Rational& low, const Rational& high, size_t k) {
  const ScoreClip clip{1 + low, 1 + high};
  if (k == 1) return {.settings = PublicSettings{.transform = transform, .clip = clip}};
  return {.settings = PublicKSettings{.transform = transform, .clip = clip, .k = k}};
}

// All but the transform, each with its name.
std::string settings_words(const Settings& settings) {
  std::string words;
  for (const SettingField& field : setting_fields()) {
    const auto value = field.name == "transform" ? std::nullopt : field.get(settings);
    if (!value || to_text(*value) == field.standard) continue;
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", field.name, to_text(*value));
  }
  return words;
}

bool allows(const TuneOptions& options, std::string_view method) {
  return options.method.empty() || options.method == method;
}

// Of a class, by selection.
std::vector<size_t> numbers_of_prototypes(const TuneOptions& options) {
  if (options.method.empty()) return {1, 5};
  if (options.method == PublicSettings::kMethod) return {1};
  if (options.method == PublicKSettings::kMethod) return {2, 5, 10};
  return {};
}

// The best space of each of the best numbers of directions. The trials are sorted.
std::vector<TransformSpec> finalists(const std::vector<Trial>& trials) {
  std::vector<TransformSpec> result;
  for (const Trial& trial : trials) {
    const TransformSpec& transform = transform_of(trial.settings);
    const bool known = std::any_of(result.begin(), result.end(), [&](const TransformSpec& other) {
      return other.directions == transform.directions;
    });
    if (!known && result.size() < kFinalists) result.push_back(transform);
  }
  return result;
}

// What serves all classes and the minority's most first, and then the others by balanced accuracy.
void sort_by_worth(std::vector<Trial>& trials) {
  if (trials.empty()) return;
  const Trial best = *std::max_element(trials.begin(), trials.end(), expects_less);
  const auto rank = [&](const Trial& trial) {
    const bool eligible = transform_of(trial.settings) == transform_of(best.settings) &&
                          is_refined(trial) == is_refined(best) && trial.expected >= best.expected - kSacrifice;
    return std::pair(eligible, trial.expected + (eligible ? kMinorityWeight * trial.minority : 0));
  };
  std::stable_sort(trials.begin(), trials.end(), [&](const Trial& a, const Trial& b) { return rank(a) > rank(b); });
}

}  // namespace

PublicTransform Tuner::common_space(const PublicData& pool, const TuneOptions& options) {
  if (const auto given = stored_transform(pool) ? stored_transform(pool) : options.transform) {
    return PublicTransform::compute(*given, pool.dim(), pool, options.threads);
  }
  const size_t usable = PublicAccess(pool).spectrum(1, options.threads).usable_directions();
  const size_t directions = std::min({kMostDirections, usable, (pool.size() + 1) / 2});
  if (directions == 0) throw InvalidInput("tuning: all rows of the pool are the same");
  const auto widest = [&](Kind kind) {
    return PublicTransform::compute({.kind = kind, .directions = directions}, pool.dim(), pool, options.threads);
  };
  widest(Kind::whiten);  // has the largest numbers of all that may be chosen: what it allows, the others do
  return widest(Kind::pca);
}

Tuner::Tuner(const PublicData& pool, const TuneOptions& options)
    : options_(options),
      stored_(options.transform || stored_transform(pool)),
      common_(common_space(pool, options)),
      classes_(pool, common_, options.classes, options.threads) {}

std::vector<TransformSpec> Tuner::transforms() const {
  if (stored_) return {common_.spec()};
  std::vector<TransformSpec> result;
  for (const double eigen_power : kEigenPowers) {
    for (const size_t directions : kDirections) {
      if (directions <= classes_.most_directions()) {
        result.push_back({.kind = Kind::whiten, .directions = directions, .eigen_power = eigen_power});
      }
    }
  }
  if (result.empty()) {
    result.push_back({.kind = Kind::whiten, .directions = classes_.most_directions()});
  }
  return result;
}

// A public row stands for a class by itself, so few directions do; fewer still are looked at where sums are likely to
// win.
std::vector<TransformSpec> Tuner::selection_transforms(bool sums_too) const {
  std::vector<TransformSpec> result = transforms();
  if (stored_) return result;
  std::erase_if(result, [&](const TransformSpec& transform) {
    return transform.directions > 64 || (sums_too && (transform.directions < 32 || transform.eigen_power != 0.5));
  });
  return result;
}

Tuner::Space& Tuner::space(const TransformSpec& transform) {
  for (const auto& known : spaces_) {
    if (known->transform == transform) return *known;
  }
  const size_t directions = stored_ ? 0 : transform.directions;
  spaces_.push_back(std::make_unique<Space>(
      Space{transform, classes_.rows(directions, transform.eigen_power, options_.threads), {}}));
  return *spaces_.back();
}

// On the same simulated data sets, so that differences are not those of the draws.
void Tuner::try_all(std::vector<Trial>& trials, const BudgetSpec& spec, const DataSets& sets) {
  const Budget budget = Budget::unledgered(spec);
  const uint64_t simulated =
      std::max<uint64_t>(sets.records * classes_.classes() / options_.classes, classes_.classes());
  std::vector<TransformSpec> spaces;
  for (const Trial& trial : trials) {
    const TransformSpec& transform = transform_of(trial.settings);
    if (std::find(spaces.begin(), spaces.end(), transform) == spaces.end()) spaces.push_back(transform);
  }
  size_t done = 0;
  for (const TransformSpec& transform : spaces) {
    Space& own = space(transform);
    const PseudoClasses::Rows& rows = own.rows;
    std::vector<Trial*> sums, refined, selections;
    for (Trial& trial : trials) {
      if (!(transform_of(trial.settings) == transform)) continue;
      const bool selected = !std::holds_alternative<MeanSettings>(trial.settings);
      (selected ? selections : is_refined(trial) ? refined : sums).push_back(&trial);
    }
    if (!own.prior && (!sums.empty() || !refined.empty())) {
      own.prior = PoolPrior::of(rows.pool, rows.dim, options_.threads, kAtoms);
    }
    for (size_t r = 0; r < sets.repeats; ++r) {
      for (const double ratio : sets.ratios) {
        const PseudoData data = draw(classes_, simulated, ratio, r + 1);
        if (!sums.empty())
          simulate_sums(classes_, rows, *own.prior, data, budget.rho().get_d(), options_.threads, sums);
        if (!refined.empty()) {
          simulate_refined(classes_, rows, *own.prior, data, budget.rho().get_d(), options_.threads, refined);
        }
        if (!selections.empty()) {
          simulate_selection(classes_, rows, data, budget.bounded_range_epsilon().get_d(), options_.threads,
                             selections);
        }
      }
    }
    if (options_.progress) options_.progress(static_cast<double>(++done) / static_cast<double>(spaces.size()));
  }
  const auto count = static_cast<double>(sets.repeats * sets.ratios.size());
  const auto long_tails = std::count_if(sets.ratios.begin(), sets.ratios.end(), [](double ratio) { return ratio > 1; });
  for (Trial& trial : trials) {
    trial.balanced /= count;
    if (long_tails > 0) trial.minority /= static_cast<double>(sets.repeats) * static_cast<double>(long_tails);
    trial.expected = trial.balanced + (is_refined(trial) ? kSimpleBorders : 0);
  }
  sort_by_worth(trials);
}

std::vector<Trial> Tuner::refinements(const TransformSpec& best, const BudgetSpec& budget, DataSets sets) {
  const Steps& steps = sets.ratios == std::vector{1.0} ? kBalancedSteps : kSteps;
  sets.repeats = sets.ratios.size() > 1 ? 1 : 3;
  const auto try_in = [&](const std::vector<TransformSpec>& spaces) {
    std::vector<Trial> trials;
    for (const TransformSpec& transform : spaces) {
      const std::vector<Trial> more = refined_trials(transform, steps);
      trials.insert(trials.end(), more.begin(), more.end());
    }
    try_all(trials, budget, sets);
    return trials;
  };
  if (stored_) return try_in({best});
  const auto whiten = [](size_t directions) {
    return TransformSpec{.kind = Kind::whiten, .directions = directions, .eigen_power = kEigenPowers[0]};
  };
  std::vector<TransformSpec> spaces;
  for (const size_t quarters : {2u, 3u, 4u, 6u, 8u}) {
    const TransformSpec space = whiten(best.directions * quarters / 4);
    if (space.directions >= kDirections[0] && space.directions <= classes_.most_directions()) spaces.push_back(space);
  }
  if (spaces.empty()) return {};
  std::vector<Trial> trials = try_in(spaces);
  const TransformSpec middle = whiten(std::min(likely_directions(trials), classes_.most_directions()));
  if (std::find(spaces.begin(), spaces.end(), middle) == spaces.end()) {
    const std::vector<Trial> more = try_in({middle});
    trials.insert(trials.end(), more.begin(), more.end());
  }
  // It is expected to reach what the best did, and stands before that one.
  const double most = std::max_element(trials.begin(), trials.end(), expects_less)->expected;
  const auto in_middle = [&](const Trial& trial) { return transform_of(trial.settings) == middle; };
  std::stable_partition(trials.begin(), trials.end(), in_middle);
  const auto end = std::find_if_not(trials.begin(), trials.end(), in_middle);
  std::iter_swap(trials.begin(), std::max_element(trials.begin(), end, expects_less));
  trials.front().expected = most;
  return trials;
}

Tuning Tuner::tune(const BudgetSpec& budget, uint64_t records, double ratio) {
  Tuning result;
  if (records == 0) records = options_.classes * TuneOptions::kRecordsPerClass;
  const bool gaussian = budget.notion != Notion::pure;
  DataSets sets{records, {std::begin(kRatios), std::end(kRatios)}, 0};
  if (ratio > 0) sets.ratios = {ratio};
  // Fewer classes, more data sets.
  sets.repeats = std::clamp<size_t>(300 / classes_.classes(), 3, 6) * (ratio > 0 ? 2 : 1);
  if (gaussian && allows(options_, MeanSettings::kMethod)) {
    std::vector<Trial> first;
    for (const TransformSpec& transform : transforms()) first.push_back(sums_trial(transform, Rational(0), 0));
    try_all(first, budget, sets);
    for (const TransformSpec& transform : finalists(first)) {
      for (const Rational& share : {Rational(0), kMetricShare}) {
        result.trials.push_back(sums_trial(transform, {}, share));
        for (const Rational& lift : {Rational(0), Rational(1, 10), Rational(1, 5), Rational(1, 4), Rational(3, 10)}) {
          result.trials.push_back(sums_trial(transform, lift, share));
        }
      }
    }
    try_all(result.trials, budget, sets);
    const std::vector<Trial> refined = refinements(transform_of(result.best()), budget, sets);
    result.trials.insert(result.trials.end(), refined.begin(), refined.end());
  }
  if (budget.relation == Relation::add_remove) {
    std::vector<Trial> selections;
    for (const TransformSpec& transform : selection_transforms(gaussian)) {
      const PseudoClasses::Rows& rows = space(transform).rows;
      const Rational low = cosine_quantile(rows, 0.9), middle = cosine_quantile(rows, 0.99),
                     high = cosine_quantile(rows, 0.999);
      for (const size_t k : numbers_of_prototypes(options_)) {
        selections.push_back(selection_trial(transform, low, std::max(high, Rational(low + Rational(1, 100))), k));
        selections.push_back(selection_trial(transform, middle, ScoreClip::threshold(middle).max, k));
      }
    }
    // Selection takes longer to simulate, and its settings differ by more.
    sets.repeats = (sets.repeats + 2) / 3;
    try_all(selections, budget, sets);
    result.trials.insert(result.trials.end(), selections.begin(), selections.end());
  }
  if (result.trials.empty()) throw InvalidInput("tuning: nothing to choose from at this budget");
  sort_by_worth(result.trials);
  result.pseudo_classes = classes_.classes();
  result.test_rows = classes_.test_rows();
  result.records = records / options_.classes;
  return result;
}

Tuning tune(const PublicData& pool, const BudgetSpec& budget, const TuneOptions& options) {
  return Tuner(pool, options).tune(budget, options.records, options.ratio);
}

std::string describe_tuning(const Tuning& tuning, size_t rows) {
  std::string text = fmt::format("{} groups of public rows as classes, {} test rows, {} records per class expected\n",
                                 tuning.pseudo_classes, tuning.test_rows, tuning.records);
  text += fmt::format("{:<10}{:<16}{:<43}{:>9}{:>10}{:>10}\n", "method", "transform", "settings", "balanced",
                      "minority", "expected");
  for (size_t i = 0; i < std::min(rows, tuning.trials.size()); ++i) {
    const Trial& trial = tuning.trials[i];
    text += fmt::format("{:<10}{:<16}{:<43}{:>8.1f}%{:>9.1f}%{:>9.1f}%{}\n", method_name(trial.settings),
                        transform_of(trial.settings).to_string(), settings_words(trial.settings), 100 * trial.balanced,
                        100 * trial.minority, 100 * trial.expected, i == 0 ? "  chosen" : "");
  }
  return text;
}

std::string tuning_json(const Tuning& tuning) {
  nlohmann::ordered_json trials = nlohmann::ordered_json::array();
  for (const Trial& trial : tuning.trials) {
    trials.push_back({{"method", method_name(trial.settings)},
                      {"transform", transform_of(trial.settings).to_string()},
                      {"settings", settings_words(trial.settings)},
                      {"balanced_accuracy", trial.balanced},
                      {"minority_accuracy", trial.minority},
                      {"expected_accuracy", trial.expected}});
  }
  return nlohmann::ordered_json{{"pseudo_classes", tuning.pseudo_classes},
                                {"test_rows", tuning.test_rows},
                                {"records_per_class", tuning.records},
                                {"chosen", trials.front()},
                                {"trials", trials}}
      .dump();
}

}  // namespace dppl
