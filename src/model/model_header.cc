#include "model/model_header.h"

#include <fmt/format.h>

#include "dppl/error.h"
#include "model/constants.h"
#include "rows/constants.h"

namespace dppl {
namespace {

using Json = nlohmann::ordered_json;

// Rational{2, 4} is what a caller may well have written.
std::string fraction(Rational value) {
  value.canonicalize();
  return value.get_str();
}

Json fraction(const std::optional<Rational>& value) { return value ? Json(fraction(*value)) : Json(nullptr); }

Json to_json(const ClassSet& classes) { return classes.has_names() ? Json(classes.names()) : Json(classes.size()); }

ClassSet read_classes(const Fields& header) {
  if (!header.at("classes").is_array()) return ClassSet::numbered(header.number("classes"));
  std::vector<std::string> names;
  for (const auto& name : header.array("classes")) {
    if (!name.is_string()) throw InvalidInput("header/classes holds something else than names");
    names.push_back(name.get<std::string>());
  }
  return ClassSet::named(std::move(names));
}

Json to_json(const BudgetSpec& budget) {
  return {{"notion", to_string(budget.notion)}, {"amount", fraction(budget.amount)}, {"delta", fraction(budget.delta)}};
}

Notion parse_notion(std::string_view text) {
  for (const Notion notion : {Notion::pure, Notion::zcdp, Notion::approximate}) {
    if (text == to_string(notion)) return notion;
  }
  if (text == "gdp") throw InvalidInput("header/budget/notion is μ-GDP, in which this dppl states no budget");
  throw InvalidInput("header/budget/notion is unknown");
}

BudgetSpec read_budget(const Fields& fields, Relation relation) {
  return {parse_notion(fields.text("notion")), fields.rational("amount"), fields.rational("delta"), relation};
}

Json to_json(const std::optional<Guarantee::Approximate>& value) {
  if (!value) return nullptr;
  return {{"epsilon", fraction(value->epsilon)}, {"delta", fraction(value->delta)}};
}

Json to_json(const Guarantee& guarantee) {
  return {{"private", guarantee.is_private},
          {"epsilon", fraction(guarantee.epsilon)},
          {"bounded_range", fraction(guarantee.bounded_range)},
          {"rho", fraction(guarantee.rho)},
          {"mu_squared", fraction(guarantee.mu_squared)},
          {"approximate", to_json(guarantee.approximate)}};
}

Guarantee read_guarantee(const Fields& fields, Relation relation) {
  Guarantee result;
  result.relation = relation;
  result.is_private = fields.flag("private");
  result.epsilon = fields.maybe_rational("epsilon");
  result.bounded_range = fields.maybe_rational("bounded_range");
  result.rho = fields.maybe_rational("rho");
  result.mu_squared = fields.maybe_rational("mu_squared");
  if (const auto approximate = fields.maybe_object("approximate")) {
    result.approximate = {approximate->rational("epsilon"), approximate->rational("delta")};
  }
  return result;
}

std::optional<Model::PoolIdentity> read_pool(const Fields& header) {
  const auto fields = header.maybe_object("pool");
  if (!fields) return std::nullopt;
  return Model::PoolIdentity{fields->text("digest"), fields->number("rows"), fields->number("dim")};
}

std::optional<Model::KnowledgeUse> read_knowledge(const Fields& header) {
  if (!header.has("public_knowledge")) return std::nullopt;
  const Fields fields = header.object("public_knowledge");
  return Model::KnowledgeUse{fields.number("classes"), fields.number("examples"), fields.number("vectors"),
                             fields.text("digest")};
}

// Files without it are those of models that do not tell it, and keep their bytes.
double read_score_scale(const Fields& header) {
  if (!header.has("score_scale")) return 0;
  const double scale = header.real("score_scale");
  if (scale == 0) throw InvalidInput("header/score_scale is 0, which is written by leaving it out");
  return scale;  // check_model() knows its limits
}

// A transform that holds the dimension until the real one is read.
PublicTransform identity(uint64_t input_dim) {
  if (input_dim == 0) throw InvalidInput("header/input_dim is 0");
  return PublicTransform::restore({}, input_dim, {}, {});
}

}  // namespace

Fields::Fields(const nlohmann::json& json, std::string path) : json_(&json), path_(std::move(path)) {
  if (!json.is_object()) throw InvalidInput(fmt::format("{} is not an object", path_));
}

void Fields::fail(const char* key, std::string_view what) const {
  throw InvalidInput(fmt::format("{}/{} {}", path_, key, what));
}

const nlohmann::json& Fields::at(const char* key) const {
  const auto found = json_->find(key);
  if (found == json_->end()) fail(key, "is missing");
  return *found;
}

std::string Fields::text(const char* key) const {
  if (!at(key).is_string()) fail(key, "is not a string");
  return at(key).get<std::string>();
}

uint64_t Fields::number(const char* key, uint64_t most) const {
  if (!at(key).is_number_unsigned() || at(key).get<uint64_t>() > most) {
    fail(key, fmt::format("is not a whole number from 0 to {}", most));
  }
  return at(key).get<uint64_t>();
}

double Fields::real(const char* key) const {
  if (!at(key).is_number_float()) fail(key, "is not a floating-point number");
  return at(key).get<double>();
}

bool Fields::flag(const char* key) const {
  if (!at(key).is_boolean()) fail(key, "is neither true nor false");
  return at(key).get<bool>();
}

Rational Fields::rational(const char* key) const {
  const std::string digits = text(key);
  Rational value;
  // set_str reads past spaces and leaves 2/4 as it is; what is not written the one way that get_str writes it is
  // refused.
  const bool good = digits.size() <= kLongestRational && value.set_str(digits, 10) == 0 && value.get_den() != 0;
  if (good) value.canonicalize();
  if (!good || value.get_str() != digits) fail(key, "is not a fraction in lowest terms, such as \"1/10\"");
  return value;
}

std::optional<Rational> Fields::maybe_rational(const char* key) const {
  if (at(key).is_null()) return std::nullopt;
  return rational(key);
}

std::vector<uint64_t> Fields::numbers(const char* key) const {
  std::vector<uint64_t> result;
  for (const auto& number : array(key)) {
    if (!number.is_number_unsigned()) fail(key, "holds something else than whole numbers of at least 0");
    result.push_back(number.get<uint64_t>());
  }
  return result;
}

Fields Fields::object(const char* key) const { return Fields(at(key), fmt::format("{}/{}", path_, key)); }

std::optional<Fields> Fields::maybe_object(const char* key) const {
  if (at(key).is_null()) return std::nullopt;
  return object(key);
}

const nlohmann::json& Fields::array(const char* key) const {
  if (!at(key).is_array()) fail(key, "is not an array");
  return at(key);
}

Json to_json(const std::optional<Model::PoolIdentity>& pool) {
  if (!pool) return nullptr;
  return {{"digest", pool->digest}, {"rows", pool->rows}, {"dim", pool->dim}};
}

Json to_json(const Model::KnowledgeUse& use) {
  return {{"classes", use.classes}, {"examples", use.examples}, {"vectors", use.vectors}, {"digest", use.digest}};
}

Json model_header(const Model& model) {
  Json result = {{"hyperparameters", settings_json(model.settings, model.size_share)},
                 {"classes", to_json(model.classes)},
                 {"input_dim", model.input_dim()},
                 {"prototypes_per_class", model.prototypes_per_class},
                 {"relation", to_string(model.guarantee.relation)},
                 {"budget", to_json(model.budget)},
                 {"guarantee", to_json(model.guarantee)},
                 {"pool", to_json(model.pool)},
                 {"ledger_entry", model.ledger_entry},
                 {"unit", model.unit},
                 {"noise_variance", fraction(model.noise_variance)}};
  if (model.score_scale != 0) result["score_scale"] = model.score_scale;
  if (model.knowledge) result["public_knowledge"] = to_json(*model.knowledge);
  return result;
}

Model read_model_header(const Fields& header) {
  const Relation relation = parse_relation(header.text("relation"));
  FileSettings used = read_settings_json(header.object("hyperparameters"));
  return {.settings = std::move(used.settings),
          .size_share = std::move(used.size_share),
          .classes = read_classes(header),
          .transform = identity(header.number("input_dim", kMaxDim)),
          .budget = read_budget(header.object("budget"), relation),
          .guarantee = read_guarantee(header.object("guarantee"), relation),
          .pool = read_pool(header),
          .knowledge = read_knowledge(header),
          .ledger_entry = header.text("ledger_entry"),
          .prototypes_per_class = header.number("prototypes_per_class"),
          .score_scale = read_score_scale(header),
          .unit = header.real("unit"),
          .noise_variance = header.rational("noise_variance")};
}

}  // namespace dppl
