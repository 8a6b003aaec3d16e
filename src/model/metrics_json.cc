#include <nlohmann/json.hpp>

#include "dppl/metrics.h"

namespace dppl {
namespace {

using Json = nlohmann::ordered_json;

Json optional_number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json when_left(const ConfidenceEvaluation& confidence) {
  Json result = Json::array();
  for (const auto& [left, accuracy] : confidence.when_left_to_a_person) {
    result.push_back({{"left", left}, {"accuracy", accuracy}});
  }
  return result;
}

Json rows_of(const std::vector<uint64_t>& confusion, size_t classes) {
  Json result = Json::array();
  for (size_t c = 0; c < classes; ++c) {
    const auto row = confusion.begin() + static_cast<std::ptrdiff_t>(c * classes);
    result.push_back(std::vector<uint64_t>(row, row + static_cast<std::ptrdiff_t>(classes)));
  }
  return result;
}

}  // namespace

std::string evaluation_json(const Evaluation& evaluation, bool confusion) {
  Json json{{"n", evaluation.n},
            {"accuracy", evaluation.accuracy},
            {"balanced_accuracy", evaluation.balanced_accuracy},
            {"minority_accuracy", optional_number(evaluation.minority_accuracy)}};
  if (evaluation.confidence) {
    json["expected_calibration_error"] = evaluation.confidence->expected_calibration_error;
    json["accuracy_when_left_to_a_person"] = when_left(*evaluation.confidence);
  }
  json["per_class"] = Json::array();
  for (const ClassEvaluation& one : evaluation.per_class) {
    json["per_class"].push_back({{"label", one.label},
                                 {"name", one.name},
                                 {"n", one.n},
                                 {"correct", one.correct},
                                 {"accuracy", optional_number(one.accuracy)}});
  }
  if (confusion && evaluation.confusion) {
    json["confusion"] = rows_of(*evaluation.confusion, evaluation.per_class.size());
  }
  return json.dump();
}

}  // namespace dppl
