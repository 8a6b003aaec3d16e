#pragma once

#include <string_view>

#include "dppl/baselines.h"

namespace dppl {

// A setting means the same and has the same range in every baseline that knows it.
struct SettingRule {
  std::string_view name;
  double low, high;
  bool low_allowed, high_allowed, whole;
  std::string_view words;
};

std::span<const SettingRule> setting_rules();

// The defaults of the baseline with the given settings put over them. Throws InvalidInput for an unknown one or one out
// of its range.
BaselineSettings complete_settings(const Baseline& baseline, const BaselineSettings& given);

}  // namespace dppl
