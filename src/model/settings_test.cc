#include "dppl/settings.h"

#include <gtest/gtest.h>

#include <set>

#include "support/expect_error.h"

namespace dppl {
namespace {

using testing::expect_error;

TEST(Settings, EveryMethodHasItsName) {
  for (const char* name : {"mean", "public", "public-k", "auto"}) EXPECT_EQ(method_name(settings_of(name)), name);
  expect_error<InvalidSetting>([] { settings_of("median"); }, {"method: 'median'", "auto, mean, public, public-k"});
  expect_error<InvalidInput>([] { parse_selection_mechanism("Laplace"); }, {"'Laplace'", "permute-and-flip"});
}

// One description serves all: what is told by get() can be set by set(), for every method that has it and no other.
TEST(Settings, EveryFieldComesBack) {
  const std::map<std::string, std::string, std::less<>> others = {{"transform", "whiten:3:0.2"},
                                                                  {"records", "77"},
                                                                  {"person-split", "small-classes"},
                                                                  {"shrink", "on"},
                                                                  {"prior-variance", "2.5"},
                                                                  {"lift", "0.25"},
                                                                  {"metric-share", "0.3"},
                                                                  {"refine-steps", "7"},
                                                                  {"refine-share", "0.5"},
                                                                  {"refine-rate", "2"},
                                                                  {"tau", "0.1"},
                                                                  {"center-share", "0.1"},
                                                                  {"mechanism", "laplace"},
                                                                  {"clip-min", "0.5"},
                                                                  {"clip-max", "1.5"},
                                                                  {"threshold", "1.25"},
                                                                  {"k", "9"}};
  const std::set<std::string_view> of_steps = {"refine-share", "refine-rate", "tau"};
  for (const SettingField& field : setting_fields()) {
    ASSERT_TRUE(others.contains(field.name)) << "a value for the new setting " << field.name << " is missing here";
    for (const char* method : {"mean", "public", "public-k", "auto"}) {
      std::map<std::string, SettingValue, std::less<>> given;
      const SettingValue value = parse_setting(field, others.find(field.name)->second);
      given[std::string(field.name)] = value;
      if (!field.applies_to(method)) {
        EXPECT_THROW(read_settings(method, given), InvalidSetting) << method << " " << field.name;
        EXPECT_FALSE(field.get(settings_of(method)).has_value());
        continue;
      }
      if (std::string_view(method) == "mean" && field.name != "transform" && field.name != "metric-share") {
        given["shrink"] = true;
        if (of_steps.contains(field.name)) given["refine-steps"] = uint64_t{3};
        if (field.name == "center-share") given["transform"] = std::string("center");
      }
      const Settings settings = read_settings(method, given);
      EXPECT_NE(settings, settings_of(method));
      if (field.name == "threshold") continue;  // told by the clip range
      EXPECT_EQ(field.get(settings), std::optional(value)) << method << " " << field.name;
    }
    // The default that the help shows is the default.
    for (const char* method : {"mean", "public", "public-k", "auto"}) {
      const auto standard = field.get(settings_of(method));
      if (standard) {
        EXPECT_EQ(*standard, parse_setting(field, field.standard)) << field.name;
      }
    }
  }
}

TEST(Settings, RefusesWhatIsOutOfRangeAndWhatExcludesEachOther) {
  const auto refused = [](const char* method, std::map<std::string, std::string> given,
                          std::initializer_list<std::string_view> words) {
    expect_error<InvalidSetting>(
        [&] {
          std::map<std::string, SettingValue, std::less<>> values;
          for (const auto& [name, text] : given) values[name] = parse_setting(setting_field(name), text);
          read_settings(method, values);
        },
        words);
  };
  refused("mean", {{"lift", "1.5"}}, {"lift", "1.5", "between 0 and"});
  refused("mean", {{"lift", "0.5"}}, {"lift", "goes with shrink"});
  refused("mean", {{"shrink", "yes"}}, {"shrink", "on or off"});
  refused("mean", {{"prior-variance", "0"}, {"shrink", "on"}}, {"prior-variance", "above 0"});
  refused("mean", {{"metric-share", "1"}}, {"metric-share", "below 1"});
  refused("mean", {{"refine-steps", "5"}}, {"refine-steps", "goes with shrink"});
  refused("mean", {{"refine-share", "0.5"}, {"shrink", "on"}}, {"refine-share", "goes with refine-steps"});
  refused("mean", {{"refine-steps", "5"}, {"shrink", "on"}, {"metric-share", "0.1"}}, {"excludes metric-share"});
  refused("mean", {{"refine-steps", "1e3"}}, {"refine-steps", "whole number"});
  refused("mean", {{"center-share", "0.1"}}, {"center-share", "goes with center"});
  refused("mean", {{"center-share", "0.5"}, {"metric-share", "0.5"}, {"transform", "center"}}, {"leaves nothing"});
  refused("mean", {{"k", "3"}}, {"k: not a setting of 'mean'", "transform, person-split, center-share, shrink"});
  refused("public", {{"clip-min", "1.5"}, {"clip-max", "1.5"}}, {"clip-min", "below clip-max"});
  refused("public", {{"clip-min", "1.5"}, {"clip-max", "1.5000001"}}, {"1e-6"});
  refused("public", {{"clip-min", "1"}, {"threshold", "1.5"}}, {"threshold", "one or the other"});
  refused("public", {{"mechanism", "Laplace"}}, {"mechanism", "permute-and-flip"});
  refused("public", {{"transform", "whiten:0"}}, {"transform: 'whiten:0' is not known"});
  refused("public-k", {{"k", "0"}}, {"k", "between 1"});
}

TEST(Settings, TheDistanceFollowsFromThem) {
  EXPECT_EQ(distance_of(PublicSettings{}), Distance::cosine);
  EXPECT_EQ(distance_of(MeanSettings{.shrinkage = Shrinkage{}}), Distance::cosine);
  EXPECT_EQ(distance_of(MeanSettings{.shrinkage = Shrinkage{.lift = Rational(1, 5)}}), Distance::dot);
  EXPECT_EQ(distance_of(MeanSettings{.extra = SecondMomentMetric{}}), Distance::dot);
}

}  // namespace
}  // namespace dppl
