#include "tuning/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "dppl/error.h"
#include "rows/pool_spectrum.h"
#include "rows/public_access.h"
#include "tuning/constants.h"

namespace dppl {
namespace {

// ---- Spaces

// How many directions a transform of this pool may have.
size_t usable_directions(const PublicData& pool, unsigned threads) {
  const size_t usable = PublicAccess(pool).spectrum(1, threads).usable_directions();
  if (usable == 0) throw InvalidInput(fmt::format("{}: all rows are the same", pool.embeddings().path()));
  return usable;
}

// Whole steps, so that budgets that differ little share a space.
size_t rounded_directions(double wanted) {
  constexpr double kStep = 8;
  const double clamped =
      std::clamp(wanted, static_cast<double>(kLeastDirections), static_cast<double>(kMostDirections));
  return static_cast<size_t>(kStep * std::round(clamped / kStep));
}

TransformSpec whitened(const PublicData& pool, const TuneOptions& options, size_t wanted) {
  if (const auto stored = stored_transform(pool)) return *stored;
  if (options.transform) return *options.transform;
  const size_t directions = std::min(wanted, usable_directions(pool, options.threads));
  return {.kind = TransformSpec::Kind::whiten, .directions = directions, .eigen_power = kEigenPower};
}

// ---- Sums

// In thousandths, as exact numbers.
Rational thousandths(double value) {
  Rational result(static_cast<long>(std::lround(1000 * value)), 1000);
  result.canonicalize();
  return result;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// signal: of all records together; of_class: of a class of median size.
MeanSettings choose_mean(const PublicData& pool, const TuneOptions& options, size_t classes, double signal,
                         double of_class) {
  const size_t for_examples =
      options.examples == 0 ? 0 : std::clamp(options.examples, kLeastDirectionsForExamples, kMostDirections);
  const size_t by_signal = rounded_directions(kDirectionsFactor * std::sqrt(signal));
  MeanSettings settings{.transform = whitened(pool, options, std::max(by_signal, for_examples)),
                        .shrinkage = Shrinkage{}};
  if (settings.transform.needs_pool()) settings.center_share = kCenterShare;
  // In hundredths, rounded down, so that something is left to the sums whatever the signal.
  const double share = std::floor(100 * of_class / (of_class + kClassSignalForSteps)) / 100;
  // An example is a record without noise: steps have to know more of a class than its examples tell.
  const bool known_better = of_class * static_cast<double>(classes) < static_cast<double>(options.examples);
  if (share >= kLeastStepsShare && !known_better) {
    settings.extra = GradientSteps{.steps = kSteps,
                                   .share = thousandths(share) * (1 - settings.center_share),
                                   .rate = thousandths(kNoiseOfSteps * std::sqrt(share))};
  }
  return settings;
}

// ---- Selection

ScoreClip clip_between(double low, double high) {
  ScoreClip clip{.min = std::max(Rational(0), Rational(1 + thousandths(low))),
                 .max = std::min(Rational(2), Rational(1 + thousandths(high)))};
  // A pool whose rows are all alike has no range; all of it is taken then.
  return clip.max - clip.min < Rational(1, 1000) ? ScoreClip{} : clip;
}

// ln C(rows, kSetSize).
double nats_of_a_set(size_t rows) {
  const auto log_factorial = [](size_t n) { return boost::math::lgamma(static_cast<double>(n) + 1); };
  return log_factorial(rows) - log_factorial(kSetSize) - log_factorial(rows - kSetSize);
}

Settings choose_selection(PoolCache& pool, const TuneOptions& options, double signal, double set_needs) {
  const TransformSpec transform = whitened(pool.rows(), options, kSelectionDirections);
  const std::vector<double> quantiles = pool.similarities(transform, kClipQuantiles);
  const ScoreClip clip = clip_between(quantiles[0], quantiles[1]);
  const bool sets = options.method.empty() ? signal >= set_needs : options.method == PublicKSettings::kMethod;
  if (sets) return PublicKSettings{.transform = transform, .clip = clip, .k = kSetSize};
  return PublicSettings{.transform = transform, .clip = clip};
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

}  // namespace

Tuning tune(const PublicData& pool, const BudgetSpec& budget, const TuneOptions& options) {
  PoolCache own(pool, options.threads);
  return tune(own, budget, options);
}

Tuning tune(PoolCache& cache, const BudgetSpec& budget, const TuneOptions& options) {
  const PublicData& pool = cache.rows();
  if (pool.size() < kSmallestPool) {
    throw InvalidInput(fmt::format("{}: has {} rows, which is too small a pool to choose settings by; give at least {}",
                                   pool.embeddings().path(), pool.size(), kSmallestPool));
  }
  const bool sums = options.method.empty() ? budget.notion != Notion::pure : options.method == MeanSettings::kMethod;
  Tuning tuning;
  const std::vector<double> guess(options.classes, TuneOptions::kRecordsPerClass);
  const std::vector<double>& sizes = options.sizes.empty() ? guess : options.sizes;
  tuning.records = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  tuning.smallest_class = *std::min_element(sizes.begin(), sizes.end());
  const Budget whole = Budget::unledgered(budget);
  if (sums) {
    const double of_record = std::sqrt(2 * whole.rho().get_d());
    tuning.signal = tuning.records * of_record;
    tuning.class_signal = median(sizes) * of_record;
    tuning.settings = choose_mean(pool, options, sizes.size(), tuning.signal, tuning.class_signal);
  } else {
    tuning.signal = whole.bounded_range_epsilon().get_d() * tuning.smallest_class;
    tuning.set_needs = nats_of_a_set(pool.size());
    tuning.settings = choose_selection(cache, options, tuning.signal, tuning.set_needs);
  }
  return tuning;
}

std::string describe_tuning(const Tuning& tuning, bool explain) {
  const bool sums = std::holds_alternative<MeanSettings>(tuning.settings);
  std::string text = fmt::format("chosen      {} in {}, {}\nexpected    {:.0f} records, {:.0f} in the smallest class\n",
                                 method_name(tuning.settings), transform_of(tuning.settings).to_string(),
                                 settings_words(tuning.settings), tuning.records, tuning.smallest_class);
  if (!explain) return text;
  if (sums) {
    return text + fmt::format(
                      "because     all records together are {:.1f} times as long as the noise of a sum, n·√(2ρ), and "
                      "{}·√ of that is the number of directions (from {} to {}, at most those of the pool); those of a "
                      "class of median size are s = {:.1f} times as long, and steps get s/(s + {}) of what the centre "
                      "leaves where that is at least {}\n",
                      tuning.signal, kDirectionsFactor, kLeastDirections, kMostDirections, tuning.class_signal,
                      kClassSignalForSteps, kLeastStepsShare);
  }
  return text + fmt::format(
                    "because     the smallest class has {:.1f} nats to say, ε times its records, and a set of {} needs "
                    "{:.1f}; scores are clipped at the {} and {} quantiles of the similarity of public rows\n",
                    tuning.signal, kSetSize, tuning.set_needs, kClipQuantiles[0], kClipQuantiles[1]);
}

std::string tuning_json(const Tuning& tuning) {
  return nlohmann::ordered_json{
      {"method", method_name(tuning.settings)},      {"transform", transform_of(tuning.settings).to_string()},
      {"settings", settings_words(tuning.settings)}, {"records", tuning.records},
      {"smallest_class", tuning.smallest_class},     {"signal", tuning.signal},
      {"class_signal", tuning.class_signal},         {"set_needs", tuning.set_needs}}
      .dump();
}

}  // namespace dppl
