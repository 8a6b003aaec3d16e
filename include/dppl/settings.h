#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "dppl/error.h"
#include "dppl/mechanisms.h"
#include "dppl/transform.h"

// Everything that shapes a fit besides data, pool and budget. All of it is public and ends up in the model.
namespace dppl {

// To which of their classes the weight of a person goes who has records in several: to all of them equally, or more to
// those that are smaller by released sizes.
enum class PersonSplit { equal, small_classes };
std::string_view to_string(PersonSplit split);
PersonSplit parse_person_split(std::string_view text);

// Draws uncertain class means to where public rows are dense (src/estimation/pool_posterior.h). Costs nothing.
struct Shrinkage {
  Rational prior_variance = 3;  // of class means around the pool's atoms, against their own length
  Rational lift = 0;            // of older models only; a fit with it is refused
  friend bool operator==(const Shrinkage&, const Shrinkage&) = default;
};

// A second moment of all records, bought with a share of the budget, by which prototypes are compared
// (src/statistics/second_moment).
struct SecondMomentMetric {
  Rational share{1, 10};
  friend bool operator==(const SecondMomentMetric&, const SecondMomentMetric&) = default;
};

// Noisy gradient steps that start from shrunk sums (src/estimation/refinement.h).
struct GradientSteps {
  unsigned steps = 30;
  Rational share{1, 4};  // of the budget
  Rational rate{2, 5};   // how much noise they may bring along, against what they begin with
  Rational tau{2, 25};   // small classes are moved forward afterwards: divided by their size to this power
  friend bool operator==(const GradientSteps&, const GradientSteps&) = default;
};

// DPPL-Mean: noisy class sums.
struct MeanSettings {
  static constexpr std::string_view kMethod = "mean";
  TransformSpec transform = {};
  PersonSplit person_split = PersonSplit::equal;
  // Of the budget, for the records' own centre, on which rows are then centred instead of the pool's; 0: the pool's.
  Rational center_share = 0;
  std::optional<Shrinkage> shrinkage = {};
  // What the budget buys besides the sums; they exclude each other.
  std::variant<std::monostate, SecondMomentMetric, GradientSteps> extra = {};

  const SecondMomentMetric* metric() const { return std::get_if<SecondMomentMetric>(&extra); }
  const GradientSteps* gradient_steps() const { return std::get_if<GradientSteps>(&extra); }
  // Of the budget, for either; 0: there is none.
  Rational extra_share() const {
    return metric() != nullptr ? metric()->share : gradient_steps() != nullptr ? gradient_steps()->share : Rational(0);
  }
  friend bool operator==(const MeanSettings&, const MeanSettings&) = default;
};

// The score of a pair is 1 + cosine, clipped to this range.
struct ScoreClip {
  Rational min = 0, max = 2;
  // A candidate scores everything for a record with 1 + cosine of at least this, and 0 otherwise, but for cosines
  // within a millionth.
  static ScoreClip threshold(const Rational& at) { return {at, at + Rational(1, 1000000)}; }
  friend bool operator==(const ScoreClip&, const ScoreClip&) = default;
};

// DPPL-Public: one row of the public pool per class.
struct PublicSettings {
  static constexpr std::string_view kMethod = "public";
  TransformSpec transform = {};
  PersonSplit person_split = PersonSplit::equal;
  ScoreClip clip = {};
  SelectionMechanism mechanism = SelectionMechanism::exponential;
  friend bool operator==(const PublicSettings&, const PublicSettings&) = default;
};

// DPPL-PublicK: k rows of the public pool per class, chosen together by the exponential mechanism on sets.
struct PublicKSettings {
  static constexpr std::string_view kMethod = "public-k";
  TransformSpec transform = {};
  PersonSplit person_split = PersonSplit::equal;
  ScoreClip clip = {};
  size_t k = 5;
  friend bool operator==(const PublicKSettings&, const PublicKSettings&) = default;
};

// Chooses one of the others and its settings, from public information and released values.
struct AutoSettings {
  static constexpr std::string_view kMethod = "auto";
  TransformSpec transform = {};  // none: chosen, too
  PersonSplit person_split = PersonSplit::equal;
  // How many records to expect, declared by the user; 0: a hundredth of the budget buys noisy class sizes.
  uint64_t records = 0;
  friend bool operator==(const AutoSettings&, const AutoSettings&) = default;
};

using Settings = std::variant<AutoSettings, MeanSettings, PublicSettings, PublicKSettings>;

// "auto", "mean", "public" or "public-k".
std::string_view method_name(const Settings& settings);
// The default settings of a method. Throws InvalidSetting for a name that is not known.
Settings settings_of(std::string_view method);
const TransformSpec& transform_of(const Settings& settings);
Settings with_transform(Settings settings, const TransformSpec& transform);
PersonSplit person_split_of(const Settings& settings);
Settings with_person_split(Settings settings, PersonSplit split);
bool is_auto(const Settings& settings);

// How rows are compared with prototypes.
enum class Distance { cosine, dot };
std::string_view to_string(Distance distance);
Distance distance_of(const Settings& settings);

// A setting that is not known, does not apply or is out of range. what() begins with its name.
class InvalidSetting : public InvalidInput {
 public:
  InvalidSetting(std::string_view setting, std::string_view problem)
      : InvalidInput(std::string(setting) + ": " + std::string(problem)), setting_(setting) {}
  const std::string& setting() const { return setting_; }

 private:
  std::string setting_;
};

using SettingValue = std::variant<bool, uint64_t, Rational, std::string>;

// The one description of a setting, which the command line, plans, model files, JSON and descriptions read.
struct SettingField {
  enum class Type { flag, whole, number, word };

  std::string_view name;     // "prior-variance"; in JSON and model files with underscores
  std::string_view words;    // one line for people
  std::string_view methods;  // that have it, separated by spaces
  Type type;
  std::string_view standard;  // the default, as text; empty: none
  // The range of a number; ends that do not belong to it are `open`.
  Rational least = 0, most = 0;
  bool open_least = false, open_most = false;
  bool of_older_models = false;  // told by old files; no fit takes it
  // The value; empty where it does not apply.
  std::optional<SettingValue> (*get)(const Settings& settings);
  void (*set)(Settings& settings, const SettingValue& value);

  bool applies_to(std::string_view method) const;
};

std::span<const SettingField> setting_fields();
const SettingField& setting_field(std::string_view name);

// From text ("on", "30", "0.25", "whiten:64") to the field's type and range. Throws InvalidSetting.
SettingValue parse_setting(const SettingField& field, std::string_view text);
std::string to_text(const SettingValue& value);

// The settings of a method with some of them given. Throws InvalidSetting.
Settings read_settings(std::string_view method, const std::map<std::string, SettingValue, std::less<>>& given);
// Throws InvalidSetting for a value out of its range and for settings that do not go together.
void check_settings(const Settings& settings);

}  // namespace dppl
