#include "model/guarantee_words.h"

#include <fmt/format.h>

#include "model/stated.h"
#include "privacy/certified.h"

namespace dppl {
namespace {

constexpr int kDigits = 6;

// "e^ε", with its value where that is a number to compare with.
std::string factor(const Rational& epsilon) {
  constexpr int kLargestTold = 20, kFactorDigits = 4;
  if (epsilon > kLargestTold) return "e^ε";
  return "e^ε = " + to_decimal(upper_bound(exp(Interval(epsilon))), kFactorDigits, Rounding::up);
}

std::string_view neighbours_words(Relation relation) {
  return relation == Relation::add_remove
             ? "Adding or removing one person's record (one labelled embedding)"
             : "Replacing one person's record (one labelled embedding) by another of the same class";
}

// What the change of one record can do, in the notion of the budget.
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

}  // namespace

std::string amount_words(const Rational& value) {
  constexpr size_t kReadable = 24;
  std::string exact = to_string(value);
  return exact.size() <= kReadable ? exact : to_decimal(value, kDigits, Rounding::up) + " (rounded up)";
}

std::string cost_words(const std::optional<Rational>& value) {
  return value ? to_decimal(*value, kDigits, Rounding::up) : "none";
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
  return fmt::format("  {}\n  {}\n", neighbours_words(model.guarantee.relation), effect_words(model, *spent));
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
  return fmt::format(
      "Somebody who knows every other record, and guesses from the model {}, is right at most {} of the time; a coin "
      "is "
      "right 50%.",
      guarantee.relation == Relation::add_remove ? "whether one record was used"
                                                 : "which of two records of a class was used",
      right);
}

std::string_view protected_words(Relation relation) {
  return relation == Relation::add_remove
             ? "So this protects whether any one record is there, what it holds and its class; the sizes of the "
               "classes up to one record."
             : "So this protects what a record holds, but neither its class nor that it is there.";
}

std::vector<std::string_view> unprotected_words(Relation relation) {
  std::vector<std::string_view> result = {
      "A person with several records: m records together cost m times the ε, m² times the ρ.",
      "What was declared public: the names of the classes, the pool, the settings below.",
      "Choices made outside dppl by looking at the private data."};
  result.insert(result.begin(),
                relation == Relation::replace_in_class
                    ? "How many records each class has: class sizes are taken as public."
                    : "About how many records each class has: a model may tell that within a few records.");
  return result;
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
