#include <fmt/format.h>

#include "dppl/export.h"
#include "export/mechanism_words.h"
#include "export/yaml.h"
#include "model/guarantee_words.h"
#include "model/settings_words.h"
#include "model/stated.h"

// The fields are those of github.com/opendp/deployments-registry-data.
namespace dppl {
namespace {

using Json = nlohmann::ordered_json;

std::string bullets(const std::vector<std::string>& lines) {
  std::string result;
  for (const std::string& line : lines) result += fmt::format("- {}\n", line);
  return result;
}

// What the registry calls the notions of privacy, and how they measure two laws of the model.
struct Flavor {
  const char *name, *measure, *parameter;
};

Flavor flavor_of(Notion notion) {
  switch (notion) {
    case Notion::pure:
      return {"Pure DP", "Max divergence", "epsilon"};
    case Notion::approximate:
      return {"Approximate DP", "Hockey-stick divergence (smoothed max divergence)", "epsilon"};
    case Notion::zcdp:
      break;
  }
  return {"Zero-concentrated DP", "Rényi divergence of every order α > 1, divided by α (zero-concentrated divergence)",
          "rho"};
}

// How two data sets differ.
struct Distance {
  const char *metric, *unit, *unit_words;
};

Distance distance_of(Relation relation) {
  switch (relation) {
    case Relation::add_remove_person:
      return {"Number of people whose records are in one data set and not in the other (symmetric distance of people)",
              "Person-level", "Adjacent data sets differ by all records of one person, in whatever classes they are."};
    case Relation::replace_in_class:
      return {"Number of records that differ, class by class (substitution distance)", "Record-level",
              "Adjacent data sets differ by one record that becomes another of the same class."};
    case Relation::add_remove:
      break;
  }
  return {"Number of records that are in one data set and not in the other (symmetric distance)", "Record-level",
          "Adjacent data sets differ by adding or removing one record (one labelled embedding)."};
}

// "Scans, clinic 3" → "scans-clinic-3"
std::string slug(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool capital = c >= 'A' && c <= 'Z';
    if (kept || capital) result += capital ? static_cast<char>(c - 'A' + 'a') : c;
    if (!kept && !capital && !result.empty() && result.back() != '-') result += '-';
  }
  if (result.ends_with('-')) result.pop_back();
  return result;
}

class Entry {
 public:
  Entry(const PublishedModel& published, const PublicationFacts& facts)
      : published_(published), model_(published.model), facts_(facts) {}

  Json json() const {
    const std::string year = facts_.date.substr(0, 4);
    return {{"url_slug", slug(fmt::format("{} {} {}", name(), facts_.curator, year))},
            {"status", "Draft"},
            {"tier", 3},
            {"deployment",
             {{"product", product()},
              {"dp_flavor", flavor()},
              {"privacy_loss", privacy_loss()},
              {"model", deployment_model()},
              {"accounting", accounting()},
              {"implementation", implementation()},
              {"resources", {{"notes", notes()}, {"registry_authors", Json::array({facts_.curator})}}}}}};
  }

 private:
  std::string name() const { return facts_.title.empty() ? published_.name : facts_.title; }

  Json product() const {
    Json result = {{"name", name()},
                   {"data_curators", Json::array({facts_.curator})},
                   {"intended_use", facts_.intended_use},
                   {"data_product_type", "Machine learning model"},
                   {"data_product_region", facts_.region},
                   {"description", description()},
                   {"publication_date", facts_.date}};
    if (!facts_.sector.empty()) result["data_product_sector"] = facts_.sector;
    return result;
  }

  std::string description() const {
    return fmt::format("A classifier with {} classes ({}). {}", model_.classes.size(), method_words(model_),
                       model_.guarantee.is_private
                           ? "It was made with differential privacy of records that stay private."
                           : "NOT PRIVATE: it was made with a fixed seed, for tests or experiments.");
  }

  Json flavor() const {
    const Flavor flavor = flavor_of(model_.budget.notion);
    const std::optional<Rational> spent = stated_amount(model_);
    std::string bound = spent ? fmt::format("{} = {}", flavor.parameter, to_string(*spent)) : "none known";
    if (model_.budget.notion == Notion::approximate) bound += ", delta = " + to_string(model_.budget.delta);
    return {
        {"name", flavor.name},
        {"input_metric", distance_of(model_.guarantee.relation).metric},
        {"bound_on_input_distance", "1"},
        {"output_measure", flavor.measure},
        {"bound_on_output_distance", bound},
        {"data_domain", fmt::format("All finite collections of records. A record is a row of {} numbers, finite and "
                                    "not all zero, with one of {} classes, which were declared and not derived from "
                                    "the data.",
                                    model_.input_dim(), model_.classes.size())},
        {"unprotected_quantities", bullets(unprotected_words(model_.guarantee))}};
  }

  Json privacy_loss() const {
    const Distance distance = distance_of(model_.guarantee.relation);
    const Json stated = Json::parse(model_json(model_)).at("guarantee");
    Json parameters = Json::object();
    for (const char* key : {"epsilon", "delta", "rho"}) {
      if (stated.contains(key) && stated.at(key).is_number()) parameters[key] = stated.at(key);
    }
    std::vector<std::string> others;
    for (const auto& [notion, cost] : costs_in_words(model_.guarantee)) others.push_back(notion + ": " + cost);
    return {{"privacy_unit", distance.unit},
            {"privacy_unit_description",
             fmt::format("{} {}", distance.unit_words, protected_words(model_.guarantee.relation))},
            {"privacy_parameters", parameters},
            {"privacy_parameters_description", "The same release in other notions, rounded up:\n" + bullets(others)}};
  }

  static Json deployment_model() {
    return {
        {"model_name", "Central"},
        {"actors",
         bullets({"The data curator holds the records and makes the model of them on a machine of its own. It must be "
                  "trusted with the records.",
                  "Whoever gets the model, or what it says, need not be trusted: they may know every other record, "
                  "all settings and all public inputs."})},
        {"release_type", "One release"},
        {"data_source_type", "Static"},
        {"access_type", "Non-interactive"}};
  }

  Json accounting() const {
    return {{"post_processing",
             "Everything that is made of the released values: shrinkage, scaling, the file itself and its exports. It "
             "reads no private record."},
            {"composition", composition_words(model_)}};
  }

  Json implementation() const {
    std::vector<std::string> settings;
    for (const auto& [setting, value] : settings_in_words(model_)) settings.push_back(setting + ": " + value);
    return {
        {"pre_processing_eda_hyperparameter_tuning",
         "Records are embedded by a public encoder, each by itself. Classes are declared, not derived from the data. "
         "Settings come from the curator, from public data, or from released values that the stated cost includes.\n" +
             bullets(settings)},
        {"mechanisms",
         bullets({mechanism_words(model_), "Implemented in dppl (C++), with a proof beside each mechanism.",
                  "Floating point: sums are of integers and samplers are exact; enclosures with outward rounding "
                  "certify every number that decides.",
                  "Randomness: ChaCha20 with a key from the operating system.",
                  "Timing and other side channels of the curator's machine are outside of the guarantee."})},
        {"justification", ""}};
  }

  std::string notes() const {
    return bullets({"Model digest (BLAKE2b-256): " + published_.digest,
                    "Ledger entry: " + (model_.ledger_entry.empty() ? std::string("none") : model_.ledger_entry)});
  }

  const PublishedModel& published_;
  const Model& model_;
  const PublicationFacts& facts_;
};

}  // namespace

std::string registry_entry(const PublishedModel& published, const PublicationFacts& facts) {
  return to_yaml(Entry(published, facts).json());
}

}  // namespace dppl
