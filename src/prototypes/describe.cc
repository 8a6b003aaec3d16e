#include <fmt/format.h>

#include <algorithm>

#include "dppl/model.h"
#include "privacy/certified.h"
#include "prototypes/stated.h"

namespace dppl {
namespace {

constexpr size_t kNamesShown = 6;
constexpr int kDigits = 6;

// ---- Pieces of text

// At most `most` characters, never half of one.
std::string shorten(const std::string& text, size_t most) {
  size_t end = 0;
  const auto continues = [&] { return end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80; };
  for (size_t count = 0; count < most && end < text.size(); ++count) {
    ++end;
    while (continues()) ++end;
  }
  return end == text.size() ? text : text.substr(0, end) + "…";
}

std::string row(std::string_view label, std::string_view value) { return fmt::format("  {:<21}{}\n", label, value); }

// The first few of a list, with a sign that there are more.
template <typename Item>
std::string first_few(size_t size, const Item& item, std::string_view separator) {
  std::string result;
  for (size_t i = 0; i < std::min(size, kNamesShown); ++i) {
    if (i > 0) result += separator;
    result += item(i);
  }
  return size > kNamesShown ? fmt::format("{}{}…", result, separator) : result;
}

std::string class_name(const Model& model, size_t i) { return shorten(model.classes.name(i), 24); }

// Exact where that is readable.
std::string amount(const Rational& value) {
  constexpr size_t kReadable = 24;
  std::string exact = to_string(value);
  return exact.size() <= kReadable ? exact : to_decimal(value, kDigits, Rounding::up) + " (rounded up)";
}

std::string cost(const std::optional<Rational>& value) {
  return value ? to_decimal(*value, kDigits, Rounding::up) : "none";
}

// "e^ε", with its value where that is a number to compare with.
std::string factor(const Rational& epsilon) {
  constexpr int kLargestTold = 20, kFactorDigits = 4;
  if (epsilon > kLargestTold) return "e^ε";
  return "e^ε = " + to_decimal(upper_bound(exp(Interval(epsilon))), kFactorDigits, Rounding::up);
}

// ---- What it is

std::string_view method_words(const Model& model) {
  switch (model.hyperparameters.method) {
    case Method::public_one:
      return "public: each class is represented by one row of a public pool";
    case Method::public_k:
      return "public-k: each class is represented by some rows of a public pool";
    case Method::mean:
    case Method::automatic:
      break;
  }
  return "mean: each class is represented by a noisy mean of its records";
}

std::string identity(const Model& model) {
  const auto name = [&](size_t i) { return class_name(model, i); };
  std::string dimension = std::to_string(model.input_dim());
  if (model.output_dim() != model.input_dim()) dimension += fmt::format(", transformed to {}", model.output_dim());
  return fmt::format("dppl model, version {}: a classifier made of prototypes\n", model.version) +
         row("method", method_words(model)) +
         row("classes", fmt::format("{}: {}", model.classes.size(), first_few(model.classes.size(), name, ", "))) +
         row("dimension", dimension) + row("prototypes a class", std::to_string(model.prototypes_per_class));
}

// ---- The guarantee

std::string_view neighbours_words(Relation relation) {
  return relation == Relation::add_remove
             ? "Adding or removing one person's record (one labelled embedding)"
             : "Replacing one person's record (one labelled embedding) by another of the same class";
}

// What the change of one record can do, in the notion of the budget.
std::string effect_words(const Model& model, const Rational& spent) {
  const std::string exact = amount(spent);
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
          factor(spent), amount(model.budget.delta), exact);
    case Notion::zcdp:
      return fmt::format(
          "changes the law of the model by a Rényi divergence of at most α·ρ\n  for every order α > 1, with ρ = {} "
          "(ρ-zCDP).",
          exact);
    case Notion::gdp:
      break;
  }
  return fmt::format(
      "is no easier to tell from the model than a normal variable from one that\n  is shifted by μ = {} standard "
      "deviations (μ-GDP).",
      exact);
}

std::string guarantee_words(const Model& model) {
  const std::optional<Rational> spent = stated_amount(model);
  if (!spent) return "  No bound is known in the notion of the budget.\n";
  return fmt::format("  {}\n  {}\n", neighbours_words(model.guarantee.relation), effect_words(model, *spent));
}

using Costs = std::vector<std::pair<std::string, std::string>>;

Costs costs(const Guarantee& guarantee) {
  Costs result = {{"pure ε", cost(guarantee.epsilon)}, {"ρ-zCDP", cost(guarantee.rho)}};
  for (const char* delta : kStatedDeltas) {
    result.emplace_back(fmt::format("ε at δ = {}", delta), cost(guarantee.epsilon_at(parse_rational(delta, "δ"))));
  }
  return result;
}

std::string other_notions(const Guarantee& guarantee) {
  const Costs own = costs(guarantee);
  const std::optional<Guarantee> replaced = replace_one_price(guarantee);
  const Costs others = replaced ? costs(*replaced) : Costs(own.size());
  std::string result = fmt::format("\n  {:<24}{:<18}{}\n", "The same, rounded up:", "as above",
                                   replaced ? "if one record is replaced by any other" : "");
  for (size_t i = 0; i < own.size(); ++i) {
    const std::string line = fmt::format("    {:<22}{:<18}{}", own[i].first, own[i].second, others[i].second);
    result.append(line, 0, line.find_last_not_of(' ') + 1).append("\n");
  }
  return result;
}

std::string protected_words(Relation relation) {
  return relation == Relation::add_remove
             ? "  So this protects whether a record is there, what it holds, its class, and the sizes of the classes.\n"
             : "  So this protects what a record holds, but neither its class nor that it is there.\n";
}

std::string limits(Relation relation) {
  return fmt::format(
      "\nNOT PROTECTED\n"
      "{}"
      "  A person with several records: m records together cost m times the ε, m² times the ρ.\n"
      "  What was declared public: the names of the classes, the pool, the settings below.\n"
      "  Choices made outside dppl by looking at the private data.\n",
      relation == Relation::replace_in_class ? "  How many records each class has: class sizes are taken as public.\n"
                                             : "");
}

std::string guarantee_section(const Model& model) {
  constexpr std::string_view kSeeded =
      "\nNOT PRIVATE: made with a fixed seed for tests or experiments; do not publish\n"
      "  Whoever knows the seed can undo the noise. Made without a seed it would have had this guarantee:\n";
  const Relation relation = model.guarantee.relation;
  return std::string(model.guarantee.is_private ? "\nTHE GUARANTEE\n" : kSeeded) + guarantee_words(model) +
         protected_words(relation) +
         fmt::format("  The budget was {}; neighbours: {}.\n", model.budget.describe(), to_string(relation)) +
         other_notions(model.guarantee) + limits(relation);
}

// ---- How it was made

std::string transform_words(const TransformSpec& transform) {
  if (transform.average_pool == 1) return transform.to_string();
  return fmt::format("{}, after averaging windows of {}", transform.to_string(), transform.average_pool);
}

std::string mean_rows(const Model& model) {
  const Hyperparameters& used = model.hyperparameters;
  std::string result = row("estimator", to_string(used.estimator));
  result += row("rows", used.norm ? fmt::format("clipped to 2-norm {}", amount(*used.norm)) : "scaled to unit length");
  if (used.estimator == Estimator::coinpress) result += row("steps", std::to_string(used.coinpress_steps));
  if (!model.counts.empty()) result += row("noisy counts", fmt::format("{} of the budget", amount(used.count_share)));
  if (!model.sums.empty()) {
    result +=
        row("noise of the sums", fmt::format("variance {} in units of {}", cost(model.noise_variance), model.unit));
  }
  return result;
}

std::string chosen_rows(const Model& model) {
  const size_t k = model.prototypes_per_class;
  const auto of_class = [&](size_t c) {
    const auto index = [&](size_t i) { return std::to_string(model.pool_indices[c * k + i]); };
    return fmt::format("{} {}", class_name(model, c), first_few(k, index, ","));
  };
  return first_few(model.classes.size(), of_class, "; ");
}

std::string public_rows(const Model& model) {
  const Hyperparameters& used = model.hyperparameters;
  return row("mechanism", to_string(used.selection)) +
         row("score", fmt::format("1 + cosine, clipped to {} … {}", amount(used.clip_min), amount(used.clip_max))) +
         row("pool rows chosen", chosen_rows(model));
}

std::string making(const Model& model) {
  const Hyperparameters& used = model.hyperparameters;
  std::string result = "\nHOW IT WAS MADE\n" + row("transform", transform_words(used.transform)) +
                       row("distance", to_string(used.distance));
  result += used.method == Method::mean ? mean_rows(model) : public_rows(model);
  if (model.pool) {
    result += row("pool", fmt::format("{} rows of dimension {}", model.pool->rows, model.pool->dim)) +
              row("pool digest", model.pool->digest);
  }
  return result + row("ledger entry", model.ledger_entry.empty() ? "none" : std::string_view(model.ledger_entry));
}

}  // namespace

std::string describe_model(const Model& model) { return identity(model) + guarantee_section(model) + making(model); }

}  // namespace dppl
