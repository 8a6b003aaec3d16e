#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "dppl/model.h"
#include "model/model_header.h"
#include "model/stated.h"

namespace dppl {
namespace {

using Json = nlohmann::ordered_json;

// As JSON prints it, the number is no less than the value: 15 digits, rounded up, are what a double keeps. Null beyond
// the range of doubles.
Json number(const std::optional<Rational>& value) {
  constexpr int kDigits = 15;
  if (!value) return nullptr;
  const std::string text = to_decimal(*value, kDigits, Rounding::up);
  double result = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  return error == std::errc() ? Json(result) : Json(nullptr);
}

Json exact(const std::optional<Rational>& value) { return value ? Json(to_string(*value)) : Json(nullptr); }

const char* key_of(Notion notion) { return notion == Notion::zcdp ? "rho" : "epsilon"; }

Json stated_guarantee(const Model& model) {
  const std::optional<Rational> amount = stated_amount(model);
  const bool has_delta = model.budget.notion == Notion::approximate;
  const std::optional<Rational> delta = has_delta ? std::optional(model.budget.delta) : std::nullopt;
  const char* key = key_of(model.budget.notion);
  return {{"notion", to_string(model.budget.notion)},
          {key, number(amount)},
          {"delta", number(delta)},
          {"exact", {{key, exact(amount)}, {"delta", exact(delta)}}}};
}

Json notions(const Guarantee& guarantee) {
  Json result = {{"epsilon", number(guarantee.epsilon)},
                 {"rho", number(guarantee.rho)},
                 {"mu", number(guarantee.mu())},
                 {"epsilon_at", Json::array()}};
  for (const char* text : kStatedDeltas) {
    const Rational delta = parse_rational(text, "δ");
    result["epsilon_at"].push_back({{"delta", number(delta)}, {"epsilon", number(guarantee.epsilon_at(delta))}});
  }
  return result;
}

Json also(const Guarantee& guarantee) {
  Json result = notions(guarantee);
  const std::optional<Guarantee> replaced = replace_one_price(guarantee);
  result["replace_one"] = replaced ? notions(*replaced) : Json(nullptr);
  return result;
}

Json prototypes(const Model& model) {
  Json result = Json::array();
  const size_t k = model.prototypes_per_class;
  for (size_t c = 0; c < model.classes.size(); ++c) {
    Json entry = {{"class", c}, {"name", model.classes.name(c)}};
    if (!model.pool_indices.empty()) {
      const auto first = model.pool_indices.begin() + static_cast<ptrdiff_t>(c * k);
      entry["pool_indices"] = std::vector<uint64_t>(first, first + static_cast<ptrdiff_t>(k));
    }
    result.push_back(std::move(entry));
  }
  return result;
}

std::string key_of(std::string_view setting) {
  std::string key(setting);
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

struct ToJson {
  Json operator()(const Rational& value) const { return number(value); }
  Json operator()(const auto& value) const { return value; }
};

Json settings(const Model& model) {
  Json result = Json::object();
  for (const SettingField& field : setting_fields()) {
    if (const auto value = field.get(model.settings)) result[key_of(field.name)] = std::visit(ToJson{}, *value);
  }
  result["distance"] = to_string(distance_of(model.settings));
  if (!model.sums.empty()) {
    result["unit"] = model.unit;
    result["noise_variance"] = number(model.noise_variance);
  }
  if (model.size_share > 0) result["size_share"] = number(model.size_share);
  return result;
}

}  // namespace

std::string model_json(const Model& model) {
  Json result = {{"method", method_name(model.settings)}, {"classes", model.classes.size()}};
  if (model.classes.has_names()) result["class_names"] = model.classes.names();
  result["dim"] = model.input_dim();
  result["private"] = model.guarantee.is_private;
  result["unit"] = unit_of(model.guarantee.relation);
  result["relation"] = to_string(model.guarantee.relation);
  result["guarantee"] = stated_guarantee(model);
  result["also"] = also(model.guarantee);
  result["hyperparameters"] = settings(model);
  result["score_scale"] = model.used_score_scale();
  result["pool"] = to_json(model.pool);
  if (model.knowledge) result["public_knowledge"] = to_json(*model.knowledge);
  result["prototypes"] = prototypes(model);
  result["ledger_entry"] = model.ledger_entry.empty() ? Json(nullptr) : Json(model.ledger_entry);
  result["version"] = model.version;
  return result.dump(2);
}

}  // namespace dppl
