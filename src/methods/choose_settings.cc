#include "dppl/fit.h"

namespace dppl {
namespace {

constexpr std::string_view kAuto = "auto";

// The settings of a method of the user's, tuned on the pool for a declared number of records.
Settings tuned(std::string_view method, const std::map<std::string, std::string>& given, const BudgetSpec& budget,
               const std::optional<PublicData>& pool, size_t classes, unsigned threads) {
  if (!pool) throw InvalidSetting("transform", "auto is tuned on a public pool; give one");
  for (const auto& [name, text] : given) {
    if (name == "transform" || name == "records" || name == "person-split") continue;
    throw ChosenSetting(name, "is what transform auto chooses; leave it out, or name a transform");
  }
  settings_of(method);  // known
  TuneOptions tuning{.classes = classes, .method = std::string(method), .threads = threads};
  if (const auto records = given.find("records"); records != given.end()) {
    const SettingValue all = parse_setting(setting_field("records"), records->second);
    tuning.sizes.assign(classes, static_cast<double>(std::get<uint64_t>(all)) / static_cast<double>(classes));
  }
  const auto split = given.find("person-split");
  const Settings chosen = tune(*pool, budget, tuning).settings;
  return split == given.end() ? chosen : with_person_split(chosen, parse_person_split(split->second));
}

}  // namespace

Settings choose_settings(std::string_view method, const std::map<std::string, std::string>& given,
                         const BudgetSpec& budget, const std::optional<PublicData>& pool, size_t classes,
                         unsigned threads) {
  const bool automatic = method == AutoSettings::kMethod;
  const auto transform = given.find("transform");
  const bool chooses_transform = transform != given.end() && transform->second == kAuto;
  if (chooses_transform && !automatic) return tuned(method, given, budget, pool, classes, threads);
  std::map<std::string, SettingValue, std::less<>> values;
  for (const auto& [name, text] : given) {
    if (chooses_transform && name == "transform") continue;
    const SettingField& field = setting_field(name);
    if (automatic && !field.applies_to(method)) {
      throw ChosenSetting(name, "is what method auto chooses; leave it out, or name a method");
    }
    values[name] = parse_setting(field, text);
  }
  return read_settings(method, values);
}

}  // namespace dppl
