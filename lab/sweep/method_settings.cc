#include "lab/sweep/method_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "dppl/error.h"

namespace dppl {
namespace {

constexpr std::string_view kOwn[] = {"mean", "public", "public-k", "auto"};

// Settings by name; remembers which were asked for.
class Reader {
 public:
  explicit Reader(const SweepSettings& settings) : settings_(settings) {}

  template <typename T>
  const T* find(std::string_view name, std::string_view what) {
    known_.emplace(name);
    const auto found = settings_.find(name);
    if (found == settings_.end()) return nullptr;
    const T* value = std::get_if<T>(&found->second);
    if (value == nullptr) throw InvalidInput(fmt::format("{}: must be {}", name, what));
    return value;
  }

  std::string text(std::string_view name, std::string other) {
    const auto* value = find<std::string>(name, "a text");
    return value != nullptr ? *value : std::move(other);
  }
  bool flag(std::string_view name) {
    const bool* value = find<bool>(name, "true or false");
    return value != nullptr && *value;
  }
  void read(std::string_view name, Rational& value) {
    if (const double* number = find<double>(name, "a number")) value = exact(*number);
  }
  uint64_t whole(std::string_view name, uint64_t other, uint64_t most = uint64_t{1} << 53) {
    const double* number = find<double>(name, "a whole number");
    if (number == nullptr) return other;
    if (!(*number >= 0 && *number <= static_cast<double>(most)) || *number != std::floor(*number))
      throw InvalidInput(fmt::format("{}: {} is not a whole number between 0 and {}", name, *number, most));
    return static_cast<uint64_t>(*number);
  }

  void refuse_others(std::string_view kind) const {
    for (const auto& [name, value] : settings_) {
      if (known_.contains(name)) continue;
      throw InvalidInput(fmt::format("{}: not a setting of '{}', which has {}", name, kind, fmt::join(known_, ", ")));
    }
  }

 private:
  const SweepSettings& settings_;
  std::set<std::string, std::less<>> known_;
};

TransformSpec read_transform(Reader& reader) {
  TransformSpec spec = TransformSpec::parse(reader.text("transform", "none"));
  spec.average_pool = reader.whole("average-pool", 1, 1'000'000);
  return spec;
}

void read_mean(Reader& reader, OwnMethod& method) {
  Hyperparameters& how = method.hyperparameters;
  how.estimator = parse_estimator(reader.text("estimator", "noisy-sum"));
  if (how.estimator != Estimator::noisy_sum) method.relation = Relation::replace_in_class;
  how.distance = parse_distance(reader.text("distance", "cosine"));
  Rational norm = 0;
  reader.read("norm", norm);
  if (norm != 0) how.norm = norm;
  reader.read("count-share", how.count_share);
  how.coinpress_steps = static_cast<unsigned>(reader.whole("coinpress-steps", how.coinpress_steps, 20));
  how.shrink = reader.flag("shrink");
  reader.read("spread", how.spread);
  reader.read("lift", how.lift);
  reader.read("metric-share", how.metric_share);
  how.refine_steps = static_cast<unsigned>(reader.whole("refine-steps", how.refine_steps, 1000));
  reader.read("refine-share", how.refine_share);
  reader.read("refine-rate", how.refine_rate);
  reader.read("balance", how.balance);
}

void read_selection(Reader& reader, Hyperparameters& how) {
  reader.read("clip-min", how.clip_min);
  reader.read("clip-max", how.clip_max);
  if (const double* threshold = reader.find<double>("threshold", "a number")) {
    how.clip_min = exact(*threshold);
    how.clip_max = how.clip_min + kThresholdWidth;
  }
  if (how.method == Method::public_k) {
    how.k = reader.whole("k", 5, 1'000'000);
  } else {
    how.selection = parse_selection(reader.text("mechanism", "exponential"));
  }
}

}  // namespace

Rational exact(double value) { return parse_rational(fmt::format("{}", value), "number"); }

bool is_own_method(std::string_view kind) {
  return std::find(std::begin(kOwn), std::end(kOwn), kind) != std::end(kOwn);
}

OwnMethod own_method(std::string_view kind, const SweepSettings& settings) {
  Reader reader(settings);
  OwnMethod method;
  Hyperparameters& how = method.hyperparameters;
  how.method = parse_method(kind);
  how.transform = read_transform(reader);
  method.records = reader.whole("records", 0);
  if (how.method == Method::mean) read_mean(reader, method);
  if (how.method == Method::public_one || how.method == Method::public_k) read_selection(reader, how);
  reader.refuse_others(kind);
  return method;
}

TransformSpec transform_of(const SweepSettings& settings) {
  Reader reader(settings);
  return read_transform(reader);
}

BaselineSettings baseline_settings(const SweepSettings& settings) {
  BaselineSettings result;
  for (const auto& [name, value] : settings) {
    if (name == "transform" || name == "average-pool") continue;
    const double* number = std::get_if<double>(&value);
    if (number == nullptr) throw InvalidInput(fmt::format("{}: must be a number", name));
    result[name] = *number;
  }
  return result;
}

std::vector<SweepSettings> candidates_of(const SweepPlan::Method& method) {
  if (method.grid.empty()) return {method.settings};
  std::vector<SweepSettings> result = method.grid;
  for (SweepSettings& candidate : result) candidate.insert(method.settings.begin(), method.settings.end());
  return result;
}

bool uses_pool(const SweepPlan::Method& method) {
  const std::vector<SweepSettings> candidates = candidates_of(method);
  return std::any_of(candidates.begin(), candidates.end(), [&](const SweepSettings& settings) {
    if (transform_of(settings).needs_pool() || method.tune_on_pool) return true;
    if (!is_own_method(method.kind)) return find_baseline(method.kind)->uses_pool;
    const Hyperparameters how = own_method(method.kind, settings).hyperparameters;
    return how.method != Method::mean || how.shrink;
  });
}

namespace {

void check_own(const SweepPlan::Method& method, const SweepSettings& settings, const std::vector<double>& rho) {
  const OwnMethod own = own_method(method.kind, settings);
  if (method.tune_on_pool) {
    for (const auto& [name, value] : settings) {
      if (name != "records") throw InvalidInput(fmt::format("{}: is what tuning on the pool chooses", name));
    }
    if (own.hyperparameters.method == Method::automatic) throw InvalidInput("tune: auto tunes itself; leave it out");
  }
  for (const double amount : rho) {
    const BudgetSpec budget = BudgetSpec::zcdp(exact(amount), own.relation);
    Hyperparameters resolved = own.hyperparameters;
    if (resolved.method != Method::automatic) resolved = resolve(resolved, budget, nullptr);
    price(resolved, budget);
  }
}

void check_baseline(const SweepPlan::Method& method, const SweepSettings& settings) {
  const Baseline* baseline = find_baseline(method.kind);
  if (baseline == nullptr) {
    std::vector<std::string_view> known(std::begin(kOwn), std::end(kOwn));
    for (const Baseline& one : baselines()) known.push_back(one.name);
    throw InvalidInput(fmt::format("kind: '{}' is unknown; give one of {}", method.kind, fmt::join(known, ", ")));
  }
  if (method.tune_on_pool) throw InvalidInput("tune: only our own methods are tuned on the pool; use grid-on-test");
  if (transform_of(settings).kind == TransformSpec::Kind::raw)
    throw InvalidInput("transform: baselines take rows of unit length, not raw ones");
  for (const auto& [name, value] : baseline_settings(settings)) {
    if (baseline->defaults.contains(name)) continue;
    std::vector<std::string_view> known = {"transform", "average-pool"};
    for (const auto& [one, other] : baseline->defaults) known.push_back(one);
    throw InvalidInput(
        fmt::format("{}: not a setting of '{}', which has {}", name, method.kind, fmt::join(known, ", ")));
  }
}

}  // namespace

void check_method(const SweepPlan::Method& method, const std::vector<double>& rho) {
  for (const SweepSettings& settings : candidates_of(method)) {
    if (is_own_method(method.kind)) {
      check_own(method, settings, rho);
    } else {
      check_baseline(method, settings);
    }
  }
}

std::string to_text(const SweepSetting& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  return std::get<bool>(value) ? "on" : "off";
}

nlohmann::ordered_json to_json(const SweepSettings& settings) {
  nlohmann::ordered_json result = nlohmann::ordered_json::object();
  for (const auto& [name, value] : settings) {
    const double* number = std::get_if<double>(&value);
    if (number != nullptr && *number == std::floor(*number) && std::abs(*number) < 1e15) {
      result[name] = static_cast<int64_t>(*number);
    } else {
      std::visit([&, &key = name](const auto& one) { result[key] = one; }, value);
    }
  }
  return result;
}

}  // namespace dppl
