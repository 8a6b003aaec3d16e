#include "dppl/ledger.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "cli/budget_options.h"
#include "cli/command.h"
#include "dppl/error.h"

namespace dppl::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string ledger, dataset, head;
  BudgetOptions total;
  std::string unit = "record";
  bool json = false;
};

Json to_json(Notion unit, const Ledger::Amount& amount) {
  switch (unit) {
    case Notion::pure:
      return {{"epsilon", exact_json(amount.value)}};
    case Notion::zcdp:
      return {{"rho", exact_json(amount.value)}};
    case Notion::approximate:
      return {{"epsilon", exact_json(amount.value)}, {"delta", exact_json(amount.delta)}};
  }
  return {};
}

Json to_json(const BudgetSpec& budget) {
  Json value = {{"notion", to_string(budget.notion)}};
  value.update(to_json(budget.notion, {budget.amount, budget.delta}));
  return value;
}

Json to_json(const Ledger::Entry& entry) {
  Json value = {{"row", entry.sequence}, {"kind", to_string(entry.kind)}, {"time", entry.time}};
  if (entry.kind == Ledger::Kind::record) {
    value["reservation"] = entry.reservation;
    value["model_digest"] = entry.model_digest;
  } else {
    value[entry.kind == Ledger::Kind::dataset ? "total" : "asked"] = to_json(entry.budget);
  }
  value["purpose"] = entry.purpose;
  value["private"] = entry.guarantee.is_private;
  value["digest"] = entry.digest;
  return value;
}

Json to_json(const Ledger::Status& status, const std::vector<Ledger::Entry>& entries) {
  const Ledger::Balance& balance = status.balance;
  Json value = {{"name", status.dataset},
                {"unit", unit_of(status.total.relation)},
                {"relation", to_string(status.total.relation)},
                {"total", to_json(status.total)},
                {"limit", to_json(balance.unit, balance.limit)},
                {"spent", to_json(balance.unit, balance.spent)},
                {"remaining", to_json(balance.unit, balance.remaining)},
                {"entries", Json::array()}};
  for (const Ledger::Entry& entry : entries) {
    if (entry.dataset == status.dataset) value["entries"].push_back(to_json(entry));
  }
  return value;
}

std::string unit_words(Relation relation) {
  return fmt::format("unit {}, neighbours {}", unit_of(relation), to_string(relation));
}

void print_entry(const Ledger::Entry& entry) {
  std::string what;
  switch (entry.kind) {
    case Ledger::Kind::dataset:
      what = "total of " + entry.budget.describe();
      break;
    case Ledger::Kind::reserve:
      what = fmt::format("reserved {} for '{}'", entry.budget.describe(), entry.purpose);
      break;
    case Ledger::Kind::record:
      what = fmt::format("row {} released model {}", entry.reservation, entry.model_digest);
      break;
  }
  std::cout << fmt::format("  {:>4}  {}  {}{}\n", entry.sequence, entry.time, what,
                           entry.guarantee.is_private ? "" : "  [seeded: not private]");
}

void print_status(const Ledger::Status& status, const std::vector<Ledger::Entry>& entries) {
  const Ledger::Balance& balance = status.balance;
  std::cout << fmt::format("{}: total {}, {}\n", status.dataset, status.total.describe(),
                           unit_words(status.total.relation));
  if (balance.unit != status.total.notion) {
    std::cout << fmt::format("  kept as    {}\n", describe(balance.unit, balance.limit, Rounding::down));
  }
  std::cout << fmt::format("  spent      {}\n", describe(balance.unit, balance.spent, Rounding::up))
            << fmt::format("  remaining  {}\n", describe(balance.unit, balance.remaining, Rounding::down));
  for (const Ledger::Entry& entry : entries) {
    if (entry.dataset == status.dataset) print_entry(entry);
  }
}

void init(const Options& options) {
  const BudgetSpec total = options.total.read(parse_unit(options.unit));
  Ledger::create_dataset(options.ledger, options.dataset, total);
  std::cout << fmt::format("{}: data set '{}' may spend {} ({})\n", options.ledger, options.dataset, total.describe(),
                           unit_words(total.relation));
}

void show(const Options& options) {
  Ledger::Contents contents = Ledger(options.ledger).contents();
  if (!options.dataset.empty()) {
    std::erase_if(contents.datasets, [&](const auto& status) { return status.dataset != options.dataset; });
    if (contents.datasets.empty()) {
      throw InvalidInput(fmt::format("ledger {}: has no data set '{}'; 'dppl ledger show' without --dataset lists them",
                                     options.ledger, options.dataset));
    }
  }
  if (options.json) {
    Json datasets = Json::array();
    for (const auto& status : contents.datasets) datasets.push_back(to_json(status, contents.entries));
    return print_json({{"rows", contents.entries.size()}, {"head", contents.head}, {"datasets", datasets}});
  }
  for (const auto& status : contents.datasets) print_status(status, contents.entries);
  std::cout << fmt::format("{} rows, head {}\n", contents.entries.size(), contents.head);
}

void verify(const Options& options) {
  const auto noted = options.head.empty() ? std::nullopt : std::optional(options.head);
  const Ledger::Verification result = Ledger(options.ledger).verify(noted);
  if (options.json) {
    Json value = {{"whole", result.whole()}};
    if (result.whole()) {
      value.update({{"rows", result.rows}, {"head", result.head}});
    } else {
      value.update({{"row", result.bad_row ? Json(*result.bad_row) : Json()}, {"problem", result.problem}});
    }
    print_json(value);
  }
  if (!result.whole()) throw IoError(fmt::format("ledger {}: {}", options.ledger, result.problem));
  if (!options.json) std::cout << fmt::format("whole: {} rows, head {}\n", result.rows, result.head);
}

CLI::App* add_action(CLI::App& parent, const std::shared_ptr<Options>& options, const std::string& name,
                     const std::string& description, const std::string& example, void (*run)(const Options&)) {
  CLI::App* action = add_command(parent, name, description, example);
  action->add_option("--ledger", options->ledger, "The ledger's file")->required()->type_name("FILE");
  action->callback([options, run] { run(*options); });
  return action;
}

void add_init(CLI::App& parent, const std::shared_ptr<Options>& options) {
  CLI::App* action =
      add_action(parent, options, "init", "Enter a data set with its total budget; creates the ledger if there is none",
                 "  dppl ledger init --ledger budget.ledger --dataset flowers --epsilon 1\n"
                 "  dppl ledger init --ledger budget.ledger --dataset scans --rho 0.5 --unit person\n"
                 "The second is for people: each release from it protects all records of one person together. Neither\n"
                 "a total nor its unit can be changed later. Numbers are exact: 0.1 is one tenth.",
                 init);
  action->add_option("--dataset", options->dataset, "The data set's name: 1 to 200 bytes of printable text")
      ->required()
      ->type_name("NAME");
  action
      ->add_option("--unit", options->unit,
                   "Whom the total is for: each record (default), or each person with all of their records")
      ->type_name("record|person");
  options->total.add_to(*action, "The most that may ever be spent");
}

void add_show(CLI::App& parent, const std::shared_ptr<Options>& options) {
  CLI::App* action =
      add_action(parent, options, "show", "Show totals, what is spent, what remains, and every entry",
                 "  dppl ledger show --ledger budget.ledger --dataset flowers\n"
                 "Write down the head that it prints: with it, 'dppl ledger verify --head' finds any later change to\n"
                 "earlier entries.",
                 show);
  action->add_option("--dataset", options->dataset, "Only this data set")->type_name("NAME");
  add_json(*action, options->json);
}

void add_verify(CLI::App& parent, const std::shared_ptr<Options>& options) {
  CLI::App* action = add_action(parent, options, "verify",
                                "Look for damage and tampering; on exit status 1 the message names the first bad row",
                                "  dppl ledger verify --ledger budget.ledger --head 5f0c…\n"
                                "Without --head, it cannot find that a ledger was rewritten as a whole.",
                                verify);
  action->add_option("--head", options->head, "A head that was written down earlier and must still be on the chain")
      ->type_name("DIGEST");
  add_json(*action, options->json);
}

}  // namespace

void add_ledger(CLI::App& app) {
  CLI::App* command = add_command(app, "ledger", "Keep the privacy budgets of data sets",
                                  "  dppl ledger init --ledger budget.ledger --dataset flowers --epsilon 1\n"
                                  "  dppl ledger show --ledger budget.ledger\n"
                                  "  dppl ledger verify --ledger budget.ledger");
  command->require_subcommand(1);
  const auto options = std::make_shared<Options>();
  add_init(*command, options);
  add_show(*command, options);
  add_verify(*command, options);
}

}  // namespace dppl::cli
