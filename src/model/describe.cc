#include <fmt/format.h>

#include <algorithm>

#include "dppl/model.h"
#include "model/constants.h"
#include "model/guarantee_words.h"
#include "model/settings_words.h"
#include "model/stated.h"

namespace dppl {
namespace {

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

// ---- What it is

std::string identity(const Model& model) {
  const auto name = [&](size_t i) { return class_name(model, i); };
  std::string dimension = std::to_string(model.input_dim());
  if (model.output_dim() != model.input_dim()) dimension += fmt::format(", transformed to {}", model.output_dim());
  return fmt::format("dppl model, version {}: a classifier made of prototypes\n", model.version) +
         row("method", method_words(model)) +
         row("classes", fmt::format("{}: {}", model.classes.size(), first_few(model.classes.size(), name, ", "))) +
         row("dimension", dimension) + row("prototypes per class", std::to_string(model.prototypes_per_class));
}

// ---- The guarantee

std::string other_notions(const Guarantee& guarantee) {
  const Costs own = costs_in_words(guarantee);
  const std::optional<Guarantee> replaced = replace_one_price(guarantee);
  const Costs others = replaced ? costs_in_words(*replaced) : Costs(own.size());
  std::string result = "\n";
  const auto add_line = [&](std::string_view name, std::string_view cost, std::string_view other) {
    const std::string line = fmt::format("  {:<24}{:<18}{}", name, cost, other);
    result.append(line, 0, line.find_last_not_of(' ') + 1).append("\n");
  };
  add_line("The same, rounded up:", "as above", replaced ? "if one record is replaced by any other" : "");
  for (size_t i = 0; i < own.size(); ++i) add_line("  " + own[i].first, own[i].second, others[i].second);
  return result;
}

std::string limits(const Guarantee& guarantee) {
  std::string result = "\nNOT PROTECTED\n";
  for (const std::string& line : unprotected_words(guarantee)) result += fmt::format("  {}\n", line);
  return result;
}

std::string guarantee_section(const Model& model) {
  constexpr std::string_view kSeeded =
      "\nNOT PRIVATE: made with a fixed seed for tests or experiments; do not publish\n"
      "  Whoever knows the seed can undo the noise. Made without a seed it would have had this guarantee:\n";
  const Relation relation = model.guarantee.relation;
  return std::string(model.guarantee.is_private ? "\nTHE GUARANTEE\n" : kSeeded) + guarantee_words(model) +
         fmt::format("  {}\n  The budget was {}; neighbours: {}.\n", protected_words(relation), model.budget.describe(),
                     to_string(relation)) +
         other_notions(model.guarantee) + limits(model.guarantee);
}

// ---- How it was made

std::string chosen_rows(const Model& model) {
  const size_t k = model.prototypes_per_class;
  const auto of_class = [&](size_t c) {
    const auto index = [&](size_t i) { return std::to_string(model.pool_indices[c * k + i]); };
    return fmt::format("{} {}", class_name(model, c), first_few(k, index, ","));
  };
  return first_few(model.classes.size(), of_class, "; ");
}

std::string making(const Model& model) {
  std::string result = "\nHOW IT WAS MADE\n";
  for (const auto& [name, value] : settings_in_words(model)) result += row(name, value);
  if (!model.pool_indices.empty()) result += row("pool rows chosen", chosen_rows(model));
  if (model.pool) {
    result += row("pool", fmt::format("{} rows of dimension {}", model.pool->rows, model.pool->dim)) +
              row("pool digest", model.pool->digest);
  }
  if (model.score_scale != 0) result += row("score scale", fmt::format("{}", model.score_scale));
  if (model.knowledge) {
    const Model::KnowledgeUse& use = *model.knowledge;
    result += row("public knowledge", fmt::format("of {} of {} classes: {} examples, {} vectors; it cost nothing",
                                                  use.classes, model.classes.size(), use.examples, use.vectors)) +
              row("knowledge digest", use.digest);
  }
  return result + row("ledger entry", model.ledger_entry.empty() ? "none" : std::string_view(model.ledger_entry));
}

}  // namespace

std::string describe_model(const Model& model) { return identity(model) + guarantee_section(model) + making(model); }

}  // namespace dppl
