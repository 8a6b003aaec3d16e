#include "lab/baselines/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dppl/error.h"
#include "lab/constants.h"

namespace dppl {
namespace {

constexpr SettingRule kRules[] = {
    {"alpha", 0, kLargestSetting, true, true, false,
     "weight of the second moment of all records against that of a class"},
    {"beta", 0, 1, false, false, false, "tail probability of the lengths that CoinPress expects"},
    {"candidates", 1, kLargestSetting, true, true, true, "rows of the pool to choose from, the first ones"},
    {"clip", 0, kLargestSetting, false, true, false, "longest gradient or row of a record"},
    {"clip_max", -1, 1, false, true, false, "cosines above count as this"},
    {"clip_min", -1, 1, true, false, false, "cosines below count as this"},
    {"count_share", 0, 1, false, false, false, "share of the budget for noisy counts"},
    {"decay", 0, kLargestSetting, true, true, false, "weight of |W|²/2 in the loss"},
    {"delta", 0, 1, false, false, false, "chance that the guarantee fails"},
    {"dim", 1, kLargestSetting, true, true, true, "dimensions after the projection"},
    {"filter_share", 0, 1, false, false, false, "share of the budget for the filter"},
    {"k", 1, kLargestSetting, true, true, true, "neighbours that vote"},
    {"lambda", 0, kLargestSetting, false, true, false, "added to the diagonal of a second moment"},
    {"moment_share", 0, 1, false, false, false, "share of the budget for second moments"},
    {"momentum", 0, 1, true, false, false, "part of a step that the next one repeats"},
    {"per_class", 0, 1, true, true, true, "1: a second moment for each class as well"},
    {"prototype_share", 0, 1, false, false, false, "share of the projection's budget for its prototypes"},
    {"radius", 0, kLargestSetting, false, true, false, "length that is expected to hold the records of a class"},
    {"rate", 0, kLargestSetting, false, true, false, "length of a step against the mean gradient"},
    {"records", 0, kLargestSetting, true, true, false,
     "public guess of the number of records; 0: a noisy count is bought"},
    {"scale", 0, kLargestSetting, false, true, false, "factor of cosines in a softmax"},
    {"share", 0, 1, false, false, false, "share of the budget for what comes before the main release"},
    {"steps", 1, 1e6, true, true, true, "number of steps"},
    {"tail", 0, 1, false, false, false, "share of gradients above tau·threshold at which the threshold stays"},
    {"tau", 0, kLargestSetting, false, true, false, "counted are gradients longer than tau·threshold"},
    {"threshold", 0, kLargestSetting, false, true, false,
     "gradients up to this length are scaled by one factor, at first"},
};

std::string allowed(const SettingRule& rule) {
  const std::string low = fmt::format("{} {:g}", rule.low_allowed ? "at least" : "above", rule.low);
  const std::string high = fmt::format(" and {} {:g}", rule.high_allowed ? "at most" : "below", rule.high);
  return fmt::format("must be a {} {}{}", rule.whole ? "whole number of" : "number", low, high);
}

bool fits(const SettingRule& rule, double value) {
  if (!std::isfinite(value) || value < rule.low || value > rule.high) return false;
  if ((value == rule.low && !rule.low_allowed) || (value == rule.high && !rule.high_allowed)) return false;
  return !rule.whole || value == std::floor(value);
}

const SettingRule& rule_of(std::string_view name) {
  return *std::find_if(std::begin(kRules), std::end(kRules),
                       [&](const SettingRule& rule) { return rule.name == name; });
}

std::string names(const BaselineSettings& settings) {
  std::string all;
  for (const auto& [name, value] : settings) all += (all.empty() ? "" : ", ") + name;
  return all.empty() ? "it has none" : "it knows " + all;
}

}  // namespace

std::span<const SettingRule> setting_rules() { return kRules; }

BaselineSettings complete_settings(const Baseline& baseline, const BaselineSettings& given) {
  BaselineSettings all = baseline.defaults;
  for (const auto& [name, value] : given) {
    const auto known = all.find(name);
    if (known == all.end()) {
      throw InvalidInput(
          fmt::format("baseline {}: there is no setting '{}'; {}", baseline.name, name, names(baseline.defaults)));
    }
    const SettingRule& rule = rule_of(name);
    if (!fits(rule, value)) {
      throw InvalidInput(fmt::format("baseline {}: setting {} is {:g}, but {} ({})", baseline.name, name, value,
                                     allowed(rule), rule.words));
    }
    known->second = value;
  }
  return all;
}

}  // namespace dppl
