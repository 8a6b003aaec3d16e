#include "export/mechanism_words.h"

#include <fmt/format.h>

namespace dppl {
namespace {

struct Mechanism {
  std::string operator()(const AutoSettings&) const { return ""; }
  std::string operator()(const MeanSettings& settings) const {
    std::string released = "integer sums per class";
    if (settings.center_share > 0) released += ", to an integer sum for the centre of all records";
    if (settings.metric() != nullptr) released += ", to their second moment";
    if (settings.gradient_steps() != nullptr)
      released += fmt::format(", to the gradients of {} steps", settings.gradient_steps()->steps);
    return "The discrete Gaussian mechanism: noise is added to " + released + ".";
  }
  std::string operator()(const PublicSettings& settings) const {
    return fmt::format("Selection from a public pool, one row per class ({}).", to_string(settings.mechanism));
  }
  std::string operator()(const PublicKSettings& settings) const {
    return fmt::format(
        "Selection from a public pool, {} rows per class together, by the exponential mechanism on sets.", settings.k);
  }
};

}  // namespace

std::string mechanism_words(const Model& model) {
  if (model.public_only()) return "None: the model is made of public knowledge alone.";
  return std::visit(Mechanism{}, model.settings) +
         " Records become integers of a norm that is bounded to the bit, sums of them are exact, and the samplers are "
         "exact: no floating-point number decides a draw.";
}

std::string composition_words(const Model& model) {
  if (model.public_only()) return "Nothing was spent.";
  std::string result =
      model.guarantee.relation == Relation::add_remove_person
          ? "All releases of the fit are composed; what a person adds to several classes is bounded for all together."
          : "All releases of the fit are composed; a record is in one class, so that of "
            "the classes the worst one counts.";
  if (model.size_share > 0) result += " A part of the budget bought noisy class sizes, by which settings were chosen.";
  result += model.ledger_entry.empty()
                ? " The cost is not recorded in a ledger."
                : fmt::format(
                      " The cost is recorded in a ledger, beside everything else that this data set has spent "
                      "(entry {}).",
                      model.ledger_entry);
  return result;
}

}  // namespace dppl
