#include "model/guarantee_words.h"

#include <fmt/format.h>

#include "ledger/constants.h"
#include "model/constants.h"
#include "model/stated.h"
#include "privacy/certified.h"

namespace dppl {
namespace {

// "e^ε", with its value where that is a number to compare with.
std::string factor(const Rational& epsilon) {
  if (epsilon > kLargestTold) return "e^ε";
  return "e^ε = " + to_decimal(upper_bound(exp(Interval(epsilon))), kFactorDigits, Rounding::up);
}

// What is said of the neighbours of a relation.
struct RelationWords {
  std::string_view neighbours;    // "… changes the probability of every possible model"
  std::string_view known, guess;  // "Somebody who knows … and guesses from the model …"
  std::string_view is_protected;
  std::string_view class_sizes;  // which are not protected
};

const RelationWords& words_of(Relation relation) {
  static constexpr RelationWords kRecord = {
      "Adding or removing one person's record (one labelled embedding)", "every other record",
      "whether one record was used",
      "So this protects whether any one record is there, what it holds and its class; the sizes of the classes up to "
      "one record.",
      "About how many records each class has: a model may tell that within a few records."};
  static constexpr RelationWords kPerson = {
      "Adding or removing all records of one person (labelled embeddings)", "the records of everybody else",
      "whether one person's records were used",
      "So this protects whether any one person is there, and all of their records and classes; the sizes of the "
      "classes up to one person.",
      "About how many people each class has: a model may tell that within a few people."};
  static constexpr RelationWords kReplaced = {
      "Replacing one person's record (one labelled embedding) by another of the same class", "every other record",
      "which of two records of a class was used",
      "So this protects what a record holds, but neither its class nor that it is there.",
      "How many records each class has: class sizes are taken as public."};
  switch (relation) {
    case Relation::replace_in_class:
      return kReplaced;
    case Relation::add_remove_person:
      return kPerson;
    case Relation::add_remove:
      break;
  }
  return kRecord;
}

// What that change can do, in the notion of the budget.
std::string effect_words(const Model& model, const Rational& spent) {
  const std::string exact = amount_words(spent);
  switch (model.budget.notion) {
    case Notion::pure:
      return fmt::format(
          "changes the probability of every possible model by a factor of at most\n  {}, with ε = {} (pure ε-DP).",
          factor(spent), exact);
    case Notion::approximate:
      return fmt::format(
          "changes the probability of any set of models by a factor of at most\n  {} and by at most δ = {} on top of "
          "it, "
          "with ε = {} ((ε, δ)-DP).",
          factor(spent), amount_words(model.budget.delta), exact);
    case Notion::zcdp:
      break;
  }
  return fmt::format(
      "changes the law of the model by a Rényi divergence of at most α·ρ\n  for every order α > 1, with ρ = {} "
      "(ρ-zCDP).",
      exact);
}

// " (5 records: ε = 0.5, ρ = 0.03125)"; empty where neither is known.
std::string example_of_several(const Guarantee& guarantee) {
  if (guarantee.relation != Relation::add_remove) return "";
  const Guarantee person = guarantee.for_person_with(kExampleRecords);
  std::string costs;
  if (person.epsilon) costs += ", ε = " + cost_words(person.epsilon);
  if (person.rho) costs += ", ρ = " + cost_words(person.rho);
  return costs.empty() ? "" : fmt::format(" ({} records: {})", kExampleRecords, costs.substr(2));
}

// Whom the guarantee protects in parts only.
std::string several_words(const Guarantee& guarantee) {
  if (guarantee.relation == Relation::add_remove_person) {
    return "Somebody filed under two ids: they count as two people, who together cost twice the ε, four times the ρ.";
  }
  return fmt::format("A person with several records: m records together cost m times the ε, m² times the ρ{}.",
                     example_of_several(guarantee));
}

}  // namespace

std::string amount_words(const Rational& value) {
  std::string exact = to_string(value);
  return exact.size() <= kReadable ? exact : to_decimal(value, kCostDigits, Rounding::up) + " (rounded up)";
}

std::string cost_words(const std::optional<Rational>& value) {
  return value ? to_decimal(*value, kCostDigits, Rounding::up) : "none";
}

std::string_view method_words(const Model& model) {
  struct Words {
    std::string_view operator()(const AutoSettings&) const { return "auto: to be chosen"; }
    std::string_view operator()(const MeanSettings&) const {
      return "mean: each class is represented by a noisy mean of its records";
    }
    std::string_view operator()(const PublicSettings&) const {
      return "public: each class is represented by one row of a public pool";
    }
    std::string_view operator()(const PublicKSettings&) const {
      return "public-k: each class is represented by some rows of a public pool";
    }
  };
  if (model.public_only()) return "mean of what is publicly known of each class; no private record was read";
  return std::visit(Words{}, model.settings);
}

std::string guarantee_words(const Model& model) {
  const std::optional<Rational> spent = stated_amount(model);
  if (!spent) return "  No bound is known in the notion of the budget.\n";
  return fmt::format("  {}\n  {}\n", words_of(model.guarantee.relation).neighbours, effect_words(model, *spent));
}

// (0, δ)-DP bounds the total variation by δ, and a guess between two equally likely worlds is right with probability
// 1/2 + δ/2 at most.
std::string guess_percent(const Guarantee& guarantee) {
  const std::optional<Rational> variation = guarantee.delta_at(0);
  return variation ? to_decimal(50 + 50 * *variation, 4, Rounding::up) + "%" : "";
}

std::string guess_words(const Guarantee& guarantee) {
  const std::string right = guess_percent(guarantee);
  if (right.empty()) return "";
  const RelationWords& words = words_of(guarantee.relation);
  return fmt::format(
      "Somebody who knows {}, and guesses from the model {}, is right at most {} of the time; a coin is right 50%.",
      words.known, words.guess, right);
}

std::string_view protected_words(Relation relation) { return words_of(relation).is_protected; }

std::vector<std::string> unprotected_words(const Guarantee& guarantee) {
  return {std::string(words_of(guarantee.relation).class_sizes), several_words(guarantee),
          "What was declared public: the names of the classes, the pool, the settings below.",
          "Choices made outside dppl by looking at the private data."};
}

Costs costs_in_words(const Guarantee& guarantee) {
  Costs result = {{"pure ε", cost_words(guarantee.epsilon)}, {"ρ-zCDP", cost_words(guarantee.rho)}};
  for (const char* delta : kStatedDeltas) {
    result.emplace_back(fmt::format("ε at δ = {}", delta),
                        cost_words(guarantee.epsilon_at(parse_rational(delta, "δ"))));
  }
  return result;
}

}  // namespace dppl
