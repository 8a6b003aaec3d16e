#include "lab/sweep/method_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "dppl/error.h"
#include "lab/constants.h"

namespace dppl {
namespace {

constexpr std::string_view kOwn[] = {AutoSettings::kMethod, MeanSettings::kMethod, PublicSettings::kMethod,
                                     PublicKSettings::kMethod};

uint64_t whole(std::string_view name, double number) {
  if (!(number >= 0 && number <= static_cast<double>(kLargestWholeNumber)) || number != std::floor(number)) {
    throw InvalidSetting(name, fmt::format("{} is not a whole number of at least 0", number));
  }
  return static_cast<uint64_t>(number);
}

// What a plan says, as the setting's type.
SettingValue value_of(const SettingField& field, const SweepSetting& value) {
  using Type = SettingField::Type;
  const auto as = [&]<typename T>(const char* what, T) -> const T& {
    const T* found = std::get_if<T>(&value);
    if (found == nullptr) throw InvalidSetting(field.name, fmt::format("must be {}", what));
    return *found;
  };
  switch (field.type) {
    case Type::flag:
      return as("true or false", bool{});
    case Type::whole:
      return whole(field.name, as("a whole number", double{}));
    case Type::number:
      return exact(as("a number", double{}));
    case Type::word:
      break;
  }
  return as("a text", std::string{});
}

}  // namespace

Rational exact(double value) { return parse_rational(fmt::format("{}", value), "number"); }

bool is_own_method(std::string_view kind) {
  return std::find(std::begin(kOwn), std::end(kOwn), kind) != std::end(kOwn);
}

Settings own_method(std::string_view kind, const SweepSettings& settings) {
  std::map<std::string, SettingValue, std::less<>> given;
  const auto fields = setting_fields();
  for (const auto& [name, value] : settings) {
    const auto field = std::ranges::find(fields, std::string_view(name), &SettingField::name);
    // One that is not known is refused with the names of those that are.
    given[name] = field != fields.end() ? value_of(*field, value) : SettingValue();
  }
  return read_settings(kind, given);
}

TransformSpec transform_of(const SweepSettings& settings) {
  const auto found = settings.find("transform");
  if (found == settings.end()) return {};
  return TransformSpec::parse(std::get<std::string>(value_of(setting_field("transform"), found->second)));
}

BaselineSettings baseline_settings(const SweepSettings& settings) {
  BaselineSettings result;
  for (const auto& [name, value] : settings) {
    if (name == "transform") continue;
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
    if (!is_own_method(method.kind)) return find_baseline(method.kind).uses_pool;
    const Settings own = own_method(method.kind, settings);
    const auto* mean = std::get_if<MeanSettings>(&own);
    return mean == nullptr || mean->shrinkage.has_value();
  });
}

namespace {

void check_own(const SweepPlan::Method& method, const SweepSettings& settings, const std::vector<double>& rho) {
  if (method.tune_on_pool) {
    for (const auto& [name, value] : settings) {
      throw InvalidInput(fmt::format("{}: is what tuning on the pool chooses", name));
    }
    if (method.kind == AutoSettings::kMethod) throw InvalidInput("tune: auto tunes itself; leave it out");
  }
  const Settings own = own_method(method.kind, settings);
  for (const double amount : rho) {
    price(own, BudgetSpec::zcdp(exact(amount)));
  }
}

void check_baseline(const SweepPlan::Method& method, const SweepSettings& settings) {
  if (std::ranges::find(baselines(), method.kind, &Baseline::name) == baselines().end()) {
    std::vector<std::string_view> known(std::begin(kOwn), std::end(kOwn));
    for (const Baseline& one : baselines()) known.push_back(one.name);
    throw InvalidInput(fmt::format("kind: '{}' is unknown; give one of {}", method.kind, fmt::join(known, ", ")));
  }
  if (method.tune_on_pool) throw InvalidInput("tune: only our own methods are tuned on the pool; use grid-on-test");
  const Baseline& baseline = find_baseline(method.kind);
  transform_of(settings);
  for (const auto& [name, value] : baseline_settings(settings)) {
    if (baseline.defaults.contains(name)) continue;
    std::vector<std::string_view> known = {"transform"};
    for (const auto& [one, other] : baseline.defaults) known.push_back(one);
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
