#include <fmt/format.h>

#include <algorithm>

#include "dppl/error.h"
#include "model/model_header.h"

// Settings in a model's file, version 1. The first of these files named every setting of every method, and some that
// are gone since, in a fixed order; the same bytes are still written, so that a seeded model is the same file whichever
// release made it. A setting that is newer than them stands behind, under its own name, where it applies.
namespace dppl {
namespace {

using Json = nlohmann::ordered_json;
using Type = SettingField::Type;

// A key of the first files: the setting that it holds, and what stands there where that does not apply or is gone.
struct FileKey {
  const char* key;
  const char* setting;  // empty: gone, or written by hand
  Json otherwise;
};

const std::vector<FileKey>& first_keys() {
  static const std::vector<FileKey> keys{{"estimator", "", "noisy-sum"},
                                         {"norm", "", nullptr},
                                         {"count_share", "", "1/10"},
                                         {"coinpress_steps", "", 3},
                                         {"selection", "mechanism", "exponential"},
                                         {"clip_min", "clip-min", "0"},
                                         {"clip_max", "clip-max", "2"},
                                         {"k", "k", 1}};
  return keys;
}

// Groups that are written where one of them says something.
const std::vector<FileKey>& scaling_keys() {
  static const std::vector<FileKey> keys{{"shrink", "shrink", false},
                                         {"spread", "prior-variance", "1"},
                                         {"lift", "lift", "0"},
                                         {"metric_share", "metric-share", "0"},
                                         {"size_share", "", "0"}};
  return keys;
}

const std::vector<FileKey>& step_keys() {
  static const std::vector<FileKey> keys{{"refine_steps", "refine-steps", 0},
                                         {"refine_share", "refine-share", "0"},
                                         {"refine_rate", "refine-rate", "0"},
                                         {"balance", "tau", "0"}};
  return keys;
}

struct ToJson {
  Json operator()(Rational value) const {
    value.canonicalize();
    return value.get_str();
  }
  Json operator()(const auto& value) const { return value; }
};

Json value_of(const FileKey& key, const Settings& settings) {
  const auto value = *key.setting == 0 ? std::nullopt : setting_field(key.setting).get(settings);
  return value ? std::visit(ToJson{}, *value) : key.otherwise;
}

bool is_first(std::string_view setting) {
  const auto names = [&](const std::vector<FileKey>& keys) {
    return std::ranges::any_of(keys, [&](const FileKey& key) { return key.setting == setting; });
  };
  return setting == "transform" || names(first_keys()) || names(scaling_keys()) || names(step_keys());
}

SettingValue read_value(const Fields& fields, const SettingField& field, const char* key) {
  switch (field.type) {
    case Type::flag:
      return fields.flag(key);
    case Type::whole:
      return fields.number(key);
    case Type::number:
      return fields.rational(key);
    case Type::word:
      break;
  }
  return fields.text(key);
}

TransformSpec without_window(TransformSpec spec) {
  spec.window = 1;
  return spec;
}

}  // namespace

Json settings_json(const Settings& settings, const Rational& size_share) {
  const TransformSpec& transform = transform_of(settings);
  Json result = {{"method", method_name(settings)},
                 {"transform", without_window(transform).to_string()},
                 {"average_pool", transform.window},
                 {"distance", to_string(distance_of(settings))}};
  for (const FileKey& key : first_keys()) result[key.key] = value_of(key, settings);
  Json scaling = Json::object();
  for (const FileKey& key : scaling_keys()) scaling[key.key] = value_of(key, settings);
  scaling["size_share"] = ToJson{}(size_share);
  const bool scaled =
      std::ranges::any_of(scaling_keys(), [&](const FileKey& key) { return scaling[key.key] != key.otherwise; });
  if (scaled) result.update(scaling);
  if (const Json steps = value_of(step_keys().front(), settings); steps != 0) {
    for (const FileKey& key : step_keys()) result[key.key] = value_of(key, settings);
  }
  for (const SettingField& field : setting_fields()) {
    if (is_first(field.name)) continue;
    if (const auto value = field.get(settings)) result[std::string(field.name)] = std::visit(ToJson{}, *value);
  }
  return result;
}

FileSettings read_settings_json(const Fields& fields) {
  const std::string method = fields.text("method"), distance = fields.text("distance");
  const bool gone = fields.text("estimator") != "noisy-sum" || !fields.at("norm").is_null() ||
                    (distance != "cosine" && distance != "dot");
  if (gone) {
    throw InvalidInput(
        fmt::format("it was made with an estimator ({}), a norm or a distance ({}) that dppl no longer has",
                    fields.text("estimator").substr(0, 20), distance.substr(0, 20)));
  }
  std::map<std::string, SettingValue, std::less<>> given;
  TransformSpec transform = TransformSpec::parse(fields.text("transform"));
  transform.window = fields.number("average_pool");
  if (transform.window == 0) throw InvalidInput("header/hyperparameters/average_pool is 0");
  given["transform"] = transform.to_string();
  // Whatever stands where it does not apply is compared when the header is written again.
  const auto take = [&](const FileKey& key, bool always) {
    if (*key.setting == 0 || !fields.has(key.key)) return;
    const SettingField& field = setting_field(key.setting);
    if (!field.applies_to(method) || (!always && fields.at(key.key).dump() == key.otherwise.dump())) return;
    given[std::string(field.name)] = read_value(fields, field, key.key);
  };
  for (const FileKey& key : first_keys()) take(key, true);
  for (const FileKey& key : scaling_keys()) take(key, false);
  for (const FileKey& key : step_keys()) take(key, true);
  for (const SettingField& field : setting_fields()) {
    const std::string name(field.name);
    if (!is_first(field.name) && fields.has(name.c_str())) given[name] = read_value(fields, field, name.c_str());
  }
  return {read_settings(method, given), fields.has("size_share") ? fields.rational("size_share") : Rational(0)};
}

}  // namespace dppl
