#include "model/settings_words.h"

#include <fmt/format.h>

#include "model/guarantee_words.h"

namespace dppl {

std::vector<std::pair<std::string, std::string>> settings_in_words(const Model& model) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const SettingField& field : setting_fields()) {
    const std::optional<SettingValue> value = field.get(model.settings);
    if (!value) continue;
    const auto* number = std::get_if<Rational>(&*value);
    result.emplace_back(field.name, number != nullptr ? amount_words(*number) : to_text(*value));
  }
  result.emplace_back("distance", to_string(distance_of(model.settings)));
  if (!model.sums.empty()) {
    result.emplace_back("noise of the sums",
                        fmt::format("variance {} in units of {}", cost_words(model.noise_variance), model.unit));
  }
  if (model.size_share > 0) {
    result.emplace_back("noisy class sizes",
                        fmt::format("bought for {} of the budget", amount_words(model.size_share)));
  }
  return result;
}

}  // namespace dppl
