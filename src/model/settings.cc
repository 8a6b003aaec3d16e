#include "dppl/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/whole_number.h"

namespace dppl {
namespace {

using Type = SettingField::Type;
using Value = std::optional<SettingValue>;

// The settings of one method, or of those that have a member of that name. `From` is Settings, to set one, or const
// Settings, to look.
template <typename S, typename From>
auto* as(From& settings) {
  return std::get_if<S>(&settings);
}

template <typename From>
auto* shrinkage_of(From& settings) {
  auto* mean = as<MeanSettings>(settings);
  return mean != nullptr && mean->shrinkage ? &*mean->shrinkage : nullptr;
}

template <typename From>
auto* steps_of(From& settings) {
  auto* mean = as<MeanSettings>(settings);
  return mean != nullptr ? std::get_if<GradientSteps>(&mean->extra) : nullptr;
}

template <typename From>
auto* clip_of(From& settings) {
  if (auto* one = as<PublicSettings>(settings)) return &one->clip;
  auto* many = as<PublicKSettings>(settings);
  return many != nullptr ? &many->clip : nullptr;
}

template <typename T>
T& needed(T* part, std::string_view setting, std::string_view other) {
  if (part == nullptr) throw InvalidSetting(setting, fmt::format("goes with {}", other));
  return *part;
}

template <typename Owner, typename T>
Value value_of(const Owner* owner, T Owner::*member) {
  return owner != nullptr ? Value(owner->*member) : std::nullopt;
}

// From text, with an error that names the setting.
template <typename Parse>
auto parsed(std::string_view setting, const SettingValue& value, const Parse& parse) {
  try {
    return parse(std::get<std::string>(value));
  } catch (const InvalidInput& error) {
    std::string_view problem = error.what();
    if (problem.starts_with(setting)) problem.remove_prefix(setting.size());
    throw InvalidSetting(setting, problem.substr(std::min(problem.find_first_not_of(": "), problem.size())));
  }
}

const Rational& number(const SettingValue& value) { return std::get<Rational>(value); }

const SettingField kFields[] = {
    {.name = "transform",
     .words = "public transform of all rows: none, center, average:K, pca:K, whiten:K[:POWER]",
     .methods = "auto mean public public-k",
     .type = Type::word,
     .standard = "none",
     .get = [](const Settings& settings) -> Value { return transform_of(settings).to_string(); },
     .set =
         [](Settings& settings, const SettingValue& value) {
           settings = with_transform(std::move(settings), parsed("transform", value, TransformSpec::parse));
         }},
    {.name = "person-split",
     .words = "with people: equal, or small-classes for more weight to the smaller of a person's classes",
     .methods = "auto mean public public-k",
     .type = Type::word,
     .standard = "equal",
     .get = [](const Settings& settings) -> Value {
       const PersonSplit split = person_split_of(settings);
       return split == PersonSplit::equal ? std::nullopt : Value(std::string(to_string(split)));
     },
     .set =
         [](Settings& settings, const SettingValue& value) {
           settings = with_person_split(std::move(settings), parsed("person-split", value, parse_person_split));
         }},
    {.name = "records",
     .words = "how many records (or people) to expect, a guess that is public; 0: a hundredth of the budget tells",
     .methods = "auto",
     .type = Type::whole,
     .standard = "0",
     .most = Rational(mpz_class(1) << 53),
     .get = [](const Settings& settings) { return value_of(as<AutoSettings>(settings), &AutoSettings::records); },
     .set = [](Settings& settings,
               const SettingValue& value) { std::get<AutoSettings>(settings).records = std::get<uint64_t>(value); }},
    {.name = "center-share",
     .words = "share of the budget for the records' own centre, to use instead of the pool's",
     .methods = "mean",
     .type = Type::number,
     .standard = "0",
     .most = 1,
     .open_most = true,
     .get = [](const Settings& settings) -> Value {
       const auto* mean = as<MeanSettings>(settings);
       return mean != nullptr && mean->center_share > 0 ? Value(mean->center_share) : std::nullopt;
     },
     .set = [](Settings& settings,
               const SettingValue& value) { std::get<MeanSettings>(settings).center_share = number(value); }},
    {.name = "shrink",
     .words = "draw uncertain classes to where public rows are dense",
     .methods = "mean",
     .type = Type::flag,
     .standard = "off",
     .get = [](const Settings& settings) -> Value {
       const auto* mean = as<MeanSettings>(settings);
       return mean != nullptr ? Value(mean->shrinkage.has_value()) : std::nullopt;
     },
     .set =
         [](Settings& settings, const SettingValue& value) {
           auto& shrinkage = std::get<MeanSettings>(settings).shrinkage;
           shrinkage = std::get<bool>(value) ? std::optional<Shrinkage>(Shrinkage{}) : std::nullopt;
         }},
    {.name = "prior-variance",
     .words = "with shrink: variance of class means around public rows, against their own length",
     .methods = "mean",
     .type = Type::number,
     .standard = "3",
     .most = 100,
     .open_least = true,
     .get = [](const Settings& settings) { return value_of(shrinkage_of(settings), &Shrinkage::prior_variance); },
     .set =
         [](Settings& settings, const SettingValue& value) {
           needed(shrinkage_of(settings), "prior-variance", "shrink").prior_variance = number(value);
         }},
    {.name = "lift",
     .words = "of older models: how much uncertain classes were moved forward; no fit takes it",
     .methods = "mean",
     .type = Type::number,
     .standard = "0",
     .most = 1,
     .of_older_models = true,
     .get = [](const Settings& settings) { return value_of(shrinkage_of(settings), &Shrinkage::lift); },
     .set = [](Settings& settings,
               const SettingValue& value) { needed(shrinkage_of(settings), "lift", "shrink").lift = number(value); }},
    {.name = "metric-share",
     .words = "share of the budget for a second moment of all records, by which prototypes are compared",
     .methods = "mean",
     .type = Type::number,
     .standard = "0",
     .most = 1,
     .open_most = true,
     .get = [](const Settings& settings) -> Value {
       const auto* mean = as<MeanSettings>(settings);
       if (mean == nullptr) return std::nullopt;
       return mean->metric() != nullptr ? mean->metric()->share : Rational(0);
     },
     .set =
         [](Settings& settings, const SettingValue& value) {
           auto& extra = std::get<MeanSettings>(settings).extra;
           if (number(value) > 0) {
             extra = SecondMomentMetric{number(value)};
           } else {
             extra = std::monostate{};
           }
         }},
    {.name = "refine-steps",
     .words = "with shrink: noisy gradient steps from there, which move the borders between classes; 0: none",
     .methods = "mean",
     .type = Type::whole,
     .standard = "0",
     .most = 1000,
     .get = [](const Settings& settings) -> Value {
       const auto* mean = as<MeanSettings>(settings);
       if (mean == nullptr) return std::nullopt;
       return uint64_t{mean->gradient_steps() != nullptr ? mean->gradient_steps()->steps : 0};
     },
     .set =
         [](Settings& settings, const SettingValue& value) {
           auto& mean = std::get<MeanSettings>(settings);
           const auto steps = static_cast<unsigned>(std::get<uint64_t>(value));
           if (steps == 0) {
             if (mean.gradient_steps() != nullptr) mean.extra = std::monostate{};
             return;
           }
           if (mean.metric() != nullptr) throw InvalidSetting("refine-steps", "excludes metric-share");
           mean.extra = GradientSteps{.steps = steps};
         }},
    {.name = "refine-share",
     .words = "with refine-steps: their share of the budget",
     .methods = "mean",
     .type = Type::number,
     .standard = "0.25",
     .most = 1,
     .open_least = true,
     .open_most = true,
     .get = [](const Settings& settings) { return value_of(steps_of(settings), &GradientSteps::share); },
     .set =
         [](Settings& settings, const SettingValue& value) {
           needed(steps_of(settings), "refine-share", "refine-steps").share = number(value);
         }},
    {.name = "refine-rate",
     .words = "with refine-steps: how long they are: how much noise they may add, against what they begin with",
     .methods = "mean",
     .type = Type::number,
     .standard = "0.4",
     .most = 1000,
     .open_least = true,
     .get = [](const Settings& settings) { return value_of(steps_of(settings), &GradientSteps::rate); },
     .set =
         [](Settings& settings, const SettingValue& value) {
           needed(steps_of(settings), "refine-rate", "refine-steps").rate = number(value);
         }},
    {.name = "tau",
     .words = "with refine-steps: how much small classes are moved forward afterwards",
     .methods = "mean",
     .type = Type::number,
     .standard = "0.08",
     .most = 1,
     .get = [](const Settings& settings) { return value_of(steps_of(settings), &GradientSteps::tau); },
     .set = [](Settings& settings,
               const SettingValue& value) { needed(steps_of(settings), "tau", "refine-steps").tau = number(value); }},
    {.name = "mechanism",
     .words = "exponential, permute-and-flip or laplace",
     .methods = "public",
     .type = Type::word,
     .standard = "exponential",
     .get = [](const Settings& settings) -> Value {
       const auto* one = as<PublicSettings>(settings);
       return one != nullptr ? Value(std::string(to_string(one->mechanism))) : std::nullopt;
     },
     .set =
         [](Settings& settings, const SettingValue& value) {
           std::get<PublicSettings>(settings).mechanism = parsed("mechanism", value, parse_selection_mechanism);
         }},
    {.name = "clip-min",
     .words = "1 + cosine below this counts as this",
     .methods = "public public-k",
     .type = Type::number,
     .standard = "0",
     .most = 2,
     .get = [](const Settings& settings) { return value_of(clip_of(settings), &ScoreClip::min); },
     .set = [](Settings& settings,
               const SettingValue& value) { needed(clip_of(settings), "clip-min", "public").min = number(value); }},
    {.name = "clip-max",
     .words = "1 + cosine above this counts as this",
     .methods = "public public-k",
     .type = Type::number,
     .standard = "2",
     .most = 2,
     .get = [](const Settings& settings) { return value_of(clip_of(settings), &ScoreClip::max); },
     .set = [](Settings& settings,
               const SettingValue& value) { needed(clip_of(settings), "clip-max", "public").max = number(value); }},
    {.name = "threshold",
     .words = "instead of clip-min and clip-max: a candidate scores 1 for each record with 1 + cosine of at least this",
     .methods = "public public-k",
     .type = Type::number,
     .standard = "",
     .most = 2,
     .get = [](const Settings&) { return Value(); },  // told by the clip range
     .set =
         [](Settings& settings, const SettingValue& value) {
           needed(clip_of(settings), "threshold", "public") = ScoreClip::threshold(number(value));
         }},
    {.name = "k",
     .words = "prototypes per class",
     .methods = "public-k",
     .type = Type::whole,
     .standard = "5",
     .least = 1,
     .most = 1'000'000,
     .get = [](const Settings& settings) -> Value {
       const auto* many = as<PublicKSettings>(settings);
       return many != nullptr ? Value(uint64_t{many->k}) : std::nullopt;
     },
     .set = [](Settings& settings,
               const SettingValue& value) { std::get<PublicKSettings>(settings).k = std::get<uint64_t>(value); }},
};

std::string range_words(const SettingField& field) {
  const std::string least = to_string(field.least), most = to_string(field.most);
  if (!field.open_least && !field.open_most) return fmt::format("must lie between {} and {}", least, most);
  return fmt::format("must be {} {} and {} {}", field.open_least ? "above" : "at least", least,
                     field.open_most ? "below" : "at most", most);
}

void check_range(const SettingField& field, const Rational& value) {
  const bool low = field.open_least ? value <= field.least : value < field.least;
  const bool high = field.open_most ? value >= field.most : value > field.most;
  if (low || high) throw InvalidSetting(field.name, fmt::format("{} {}", to_string(value), range_words(field)));
}

void check_value(const SettingField& field, const SettingValue& value) {
  if (value.index() != static_cast<size_t>(field.type)) throw InvalidSetting(field.name, "is of another type");
  if (const auto* whole = std::get_if<uint64_t>(&value))
    check_range(field, Rational(mpz_class(std::to_string(*whole))));
  if (const auto* rational = std::get_if<Rational>(&value)) check_range(field, *rational);
}

}  // namespace

std::string_view method_name(const Settings& settings) {
  return std::visit([](const auto& one) { return one.kMethod; }, settings);
}

Settings settings_of(std::string_view method) {
  for (const Settings& settings :
       {Settings(AutoSettings{}), Settings(MeanSettings{}), Settings(PublicSettings{}), Settings(PublicKSettings{})}) {
    if (method_name(settings) == method) return settings;
  }
  throw InvalidSetting(
      "method", fmt::format("'{}' is not known; give one of auto, mean, public, public-k", method.substr(0, 40)));
}

const TransformSpec& transform_of(const Settings& settings) {
  return std::visit([](const auto& one) -> const TransformSpec& { return one.transform; }, settings);
}

Settings with_transform(Settings settings, const TransformSpec& transform) {
  std::visit([&](auto& one) { one.transform = transform; }, settings);
  return settings;
}

PersonSplit person_split_of(const Settings& settings) {
  return std::visit([](const auto& one) { return one.person_split; }, settings);
}

Settings with_person_split(Settings settings, PersonSplit split) {
  std::visit([&](auto& one) { one.person_split = split; }, settings);
  return settings;
}

std::string_view to_string(PersonSplit split) { return split == PersonSplit::equal ? "equal" : "small-classes"; }

PersonSplit parse_person_split(std::string_view text) {
  for (const PersonSplit split : {PersonSplit::equal, PersonSplit::small_classes}) {
    if (text == to_string(split)) return split;
  }
  throw InvalidInput(fmt::format("person-split: '{}' is not known; give equal or small-classes", text.substr(0, 40)));
}

bool is_auto(const Settings& settings) { return std::holds_alternative<AutoSettings>(settings); }

std::string_view to_string(Distance distance) { return distance == Distance::cosine ? "cosine" : "dot"; }

Distance distance_of(const Settings& settings) {
  const auto* mean = as<MeanSettings>(settings);
  const bool scaled = mean != nullptr && (mean->extra.index() != 0 || (mean->shrinkage && mean->shrinkage->lift > 0));
  return scaled ? Distance::dot : Distance::cosine;
}

bool SettingField::applies_to(std::string_view method) const {
  for (size_t begin = 0; begin < methods.size();) {
    const size_t end = std::min(methods.find(' ', begin), methods.size());
    if (methods.substr(begin, end - begin) == method) return true;
    begin = end + 1;
  }
  return false;
}

std::span<const SettingField> setting_fields() { return kFields; }

const SettingField& setting_field(std::string_view name) {
  const auto found = std::ranges::find(kFields, name, &SettingField::name);
  if (found == std::end(kFields)) throw InvalidSetting(name.substr(0, 40), "is not a setting");
  return *found;
}

SettingValue parse_setting(const SettingField& field, std::string_view text) {
  const auto value = [&]() -> SettingValue {
    switch (field.type) {
      case Type::flag:
        if (text != "on" && text != "off") throw InvalidSetting(field.name, "give on or off");
        return text == "on";
      case Type::whole: {
        const std::optional<uint64_t> whole = whole_number(text);
        if (!whole) {
          throw InvalidSetting(field.name, fmt::format("'{}' is not a whole number of at least 0", text.substr(0, 40)));
        }
        return *whole;
      }
      case Type::number:
        return parse_rational(std::string(text), std::string(field.name));
      case Type::word:
        break;
    }
    return std::string(text);
  }();
  check_value(field, value);
  return value;
}

std::string to_text(const SettingValue& value) {
  struct Text {
    std::string operator()(bool flag) const { return flag ? "on" : "off"; }
    std::string operator()(uint64_t whole) const { return std::to_string(whole); }
    std::string operator()(const Rational& rational) const { return to_string(rational); }
    std::string operator()(const std::string& word) const { return word; }
  };
  return std::visit(Text{}, value);
}

Settings read_settings(std::string_view method, const std::map<std::string, SettingValue, std::less<>>& given) {
  Settings settings = settings_of(method);
  for (const auto& [name, value] : given) {
    const auto found = std::ranges::find(kFields, name, &SettingField::name);
    if (found != std::end(kFields) && found->applies_to(method)) continue;
    std::vector<std::string_view> known;
    for (const SettingField& field : kFields) {
      if (field.applies_to(method)) known.push_back(field.name);
    }
    throw InvalidSetting(name, fmt::format("not a setting of '{}', which has {}", method, fmt::join(known, ", ")));
  }
  if (given.contains("threshold") && (given.contains("clip-min") || given.contains("clip-max"))) {
    throw InvalidSetting("threshold", "takes the place of clip-min and clip-max; give one or the other");
  }
  // In the order of the table: what others depend on comes first.
  for (const SettingField& field : kFields) {
    const auto found = given.find(field.name);
    if (found == given.end()) continue;
    check_value(field, found->second);
    field.set(settings, found->second);
  }
  check_settings(settings);
  return settings;
}

void check_settings(const Settings& settings) {
  for (const SettingField& field : kFields) {
    if (const Value value = field.get(settings)) check_value(field, *value);
  }
  if (const ScoreClip* clip = clip_of(settings)) {
    if (clip->min >= clip->max) throw InvalidSetting("clip-min", "must be below clip-max");
    // Closer limits would be the same float.
    if (clip->max - clip->min < Rational(1, 1000000)) {
      throw InvalidSetting("clip-min", "must be at least 1e-6 below clip-max");
    }
  }
  if (steps_of(settings) != nullptr) {
    if (steps_of(settings)->steps == 0) throw InvalidSetting("refine-steps", "must be at least 1");
    if (shrinkage_of(settings) == nullptr)
      throw InvalidSetting("refine-steps", "start at shrunk sums: goes with shrink");
  }
  const auto* mean = as<MeanSettings>(settings);
  if (mean == nullptr) return;
  if (mean->metric() != nullptr && mean->metric()->share <= 0) {
    throw InvalidSetting("metric-share", "must be above 0");
  }
  if (mean->center_share == 0) return;
  if (mean->center_share + mean->extra_share() >= 1) {
    throw InvalidSetting("center-share", "leaves nothing for the sums together with metric-share or refine-share");
  }
  if (!mean->transform.needs_pool()) {
    throw InvalidSetting("center-share", "moves the centre of a transform: goes with center, pca:K or whiten:K");
  }
}

}  // namespace dppl
