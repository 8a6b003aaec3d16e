#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "dppl/budget.h"
#include "dppl/privacy.h"

namespace dppl::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string epsilon, delta, rho, mu, mechanism;
  std::vector<std::string> at_deltas;
  unsigned releases = 1;
  std::optional<unsigned> records_per_person;
  bool json = false;
};

// A parameter a mechanism runs at: rounded down, unlike a cost.
struct Parameter {
  std::string symbol;
  Rational value;
};

struct Allowance {
  std::string mechanism;
  Parameter parameter;
};

// A budget, or the μ of a guarantee in GDP, in which no budget is spent.
struct Given {
  std::optional<BudgetSpec> budget;
  Rational mu;

  Guarantee as_guarantee() const { return budget ? budget->as_guarantee() : Guarantee::gdp(mu); }
  std::string describe() const { return budget ? budget->describe() : "μ = " + to_string(mu); }
  bool is_approximate() const { return budget && budget->notion == Notion::approximate; }
};

using Deltas = std::vector<std::pair<std::string, Rational>>;  // as given, and as a number

// What the releases mean for a person with so many records.
struct Person {
  unsigned records;
  Guarantee guarantee;
};

struct Account {
  Given given;
  std::string mechanism;
  std::optional<Parameter> runs_at;
  std::vector<Allowance> allowances;
  unsigned releases = 1;
  Guarantee guarantee;  // of all releases together
  std::optional<Person> person;
  Deltas deltas;
  std::vector<std::string> notes;
};

constexpr const char* kDeltas[] = {"1e-5", "1e-6", "1e-9"};
constexpr const char* kOrders[] = {"1.5", "2", "4", "8", "16", "32", "64"};
constexpr const char* kEquivalent = "ε-equivalent √(2ρ) as in the paper's plots: no guarantee";

Given read_given(const Options& options) {
  const int budgets = !options.epsilon.empty() + !options.rho.empty() + !options.mu.empty();
  if (budgets != 1) {
    throw CLI::ValidationError("account", "give one of --epsilon E [--delta D], --rho R and --mu M");
  }
  if (!options.delta.empty() && options.epsilon.empty()) {
    throw CLI::ValidationError("account", "--delta belongs to --epsilon; to see ε at a δ use --at-delta");
  }
  if (!options.mu.empty()) return {{}, parse_positive(options.mu, "--mu")};
  if (!options.rho.empty()) return {BudgetSpec::zcdp(parse_positive(options.rho, "--rho")), {}};
  const Rational epsilon = parse_positive(options.epsilon, "--epsilon");
  if (options.delta.empty()) return {BudgetSpec::pure(epsilon), {}};
  return {BudgetSpec::approximate(epsilon, parse_positive(options.delta, "--delta")), {}};
}

Deltas read_deltas(const Options& options) {
  std::vector<std::string> texts(std::begin(kDeltas), std::end(kDeltas));
  if (!options.delta.empty()) texts.push_back(options.delta);
  texts.insert(texts.end(), options.at_deltas.begin(), options.at_deltas.end());
  Deltas deltas;
  for (const std::string& text : texts) {
    const Rational delta = parse_positive(text, "--at-delta");
    const auto is_same = [&](const auto& known) { return known.second == delta; };
    if (std::none_of(deltas.begin(), deltas.end(), is_same)) deltas.emplace_back(text, delta);
  }
  return deltas;
}

// What one release of the mechanism guarantees, and the parameter that makes it so.
std::pair<Parameter, Guarantee> run(const std::string& mechanism, const Given& given) {
  if (given.budget) {
    BudgetUse use = use_budget(mechanism, *given.budget);
    return {{std::move(use.symbol), std::move(use.parameter)}, std::move(use.guarantee)};
  }
  if (mechanism == "gaussian") return {{"μ", given.mu}, Guarantee::gdp(given.mu)};
  const Rational epsilon = pure_for_gdp(given.mu);
  return {{"ε", epsilon}, mechanism == "exponential" ? Guarantee::of_bounded_range(epsilon) : Guarantee::pure(epsilon)};
}

std::vector<Allowance> allowances(const BudgetSpec& spec) {
  const Budget budget = Budget::unledgered(spec);
  return {{"exponential", {"ε", budget.bounded_range_epsilon()}},
          {"permute-and-flip", {"ε", budget.pure_epsilon()}},
          {"gaussian", {"ρ", budget.rho()}},
          {"continuous-gaussian", {"μ", gdp_for_approximate(spec.amount, spec.delta)}}};
}

// √(2ρ): the paper's ε-equivalent, and the μ of Gaussian noise of this ρ.
std::optional<Rational> root_of_twice(const std::optional<Rational>& rho) {
  if (!rho) return std::nullopt;
  return pure_for_zcdp(*rho);
}

Account make_account(const Options& options) {
  Account account;
  account.given = read_given(options);
  account.mechanism = options.mechanism;
  account.releases = options.releases;
  account.deltas = read_deltas(options);
  Guarantee one = account.given.as_guarantee();
  if (!account.mechanism.empty()) {
    std::tie(account.runs_at, one) = run(account.mechanism, account.given);
  } else if (account.given.is_approximate()) {
    account.allowances = allowances(*account.given.budget);
  }
  account.guarantee = compose(one, account.releases);
  if (account.mechanism == "gaussian") {
    account.notes.push_back(
        account.given.budget
            ? fmt::format("μ-GDP with μ = √(2ρ) = {} holds up to the discretisation of the noise: no guarantee",
                          to_decimal(*root_of_twice(account.guarantee.rho), 6, Rounding::up))
            : "μ-GDP holds for continuous Gaussian noise; discrete Gaussian noise has it up to the discretisation "
              "only");
  }
  if (const auto records = options.records_per_person) {
    account.person = {*records, account.guarantee.for_person_with(*records)};
    account.notes.emplace_back(
        "a fit for people gives each person the given budget at no extra price, however many records they have");
  }
  return account;
}

// ---- For people

using Table = std::vector<std::pair<std::string, std::string>>;

std::string cost(const std::optional<Rational>& value) { return value ? to_decimal(*value, 6, Rounding::up) : "none"; }

std::string cost(const std::optional<Guarantee::Approximate>& value) {
  return value ? fmt::format("({}, {})", cost(value->epsilon), cost(value->delta)) : "none";
}

std::string describe(const Parameter& parameter) {
  return fmt::format("{} = {}", parameter.symbol, to_decimal(parameter.value, 6, Rounding::down));
}

void add_notions(Table& table, const Guarantee& guarantee, const std::string& prefix) {
  table.emplace_back(prefix + "pure ε", cost(guarantee.epsilon));
  table.emplace_back(prefix + "bounded range", cost(guarantee.bounded_range));
  table.emplace_back(prefix + "ρ-zCDP", cost(guarantee.rho));
  table.emplace_back(prefix + "μ-GDP", cost(guarantee.mu()));
  if (guarantee.approximate) table.emplace_back(prefix + "(ε, δ) as given", cost(guarantee.approximate));
}

void add_epsilons(Table& table, const Guarantee& guarantee, const Deltas& deltas, const std::string& prefix) {
  for (const auto& [text, delta] : deltas) {
    table.emplace_back(fmt::format("{}ε at δ = {}", prefix, text), cost(guarantee.epsilon_at(delta)));
  }
}

Table make_table(const Account& account) {
  Table table;
  table.emplace_back("given", account.given.describe());
  if (account.runs_at) {
    table.emplace_back("mechanism", fmt::format("{}, run at {}", account.mechanism, describe(*account.runs_at)));
  }
  for (const Allowance& allowance : account.allowances) {
    table.emplace_back("may be used by " + allowance.mechanism, describe(allowance.parameter));
  }
  table.emplace_back("releases", std::to_string(account.releases));
  table.emplace_back("neighbours", to_string(account.guarantee.relation));
  add_notions(table, account.guarantee, "");
  add_epsilons(table, account.guarantee, account.deltas, "");
  for (const char* order : kOrders) {
    table.emplace_back(fmt::format("RDP of order {}", order),
                       cost(account.guarantee.rdp_at(parse_rational(order, "order"))));
  }
  add_notions(table, account.guarantee.replace_one(), "replace one: ");
  if (account.person) {
    table.emplace_back("records per person", std::to_string(account.person->records));
    add_notions(table, account.person->guarantee, "person: ");
    add_epsilons(table, account.person->guarantee, account.deltas, "person: ");
  }
  return table;
}

void print_table(const Account& account) {
  const Table table = make_table(account);
  for (const auto& [label, value] : table) std::cout << fmt::format("{:<40}{}\n", label, value);
  for (const std::string& note : account.notes) std::cout << "note: " << note << "\n";
  std::cout << kEquivalent << ": " << cost(root_of_twice(account.guarantee.rho)) << "\n";
}

// ---- For programs

Json number(const std::optional<Rational>& value) { return value ? exact_json(*value) : Json(nullptr); }

Json to_json(const std::optional<Parameter>& parameter) {
  if (!parameter) return nullptr;
  const char* name = parameter->symbol == "ε" ? "epsilon" : parameter->symbol == "ρ" ? "rho" : "mu";
  return {{name, number(parameter->value)}};
}

Json to_json(const std::optional<Guarantee::Approximate>& value) {
  if (!value) return nullptr;
  return {{"epsilon", number(value->epsilon)}, {"delta", number(value->delta)}};
}

Json notions(const Guarantee& guarantee) {
  return {{"epsilon", number(guarantee.epsilon)},
          {"bounded_range", number(guarantee.bounded_range)},
          {"rho", number(guarantee.rho)},
          {"mu", number(guarantee.mu())},
          {"approximate", to_json(guarantee.approximate)}};
}

Json epsilons(const Guarantee& guarantee, const Deltas& deltas) {
  Json result = Json::array();
  for (const auto& [text, delta] : deltas) {
    result.push_back({{"delta", number(delta)}, {"epsilon", number(guarantee.epsilon_at(delta))}});
  }
  return result;
}

Json to_json(const std::optional<Person>& person, const Deltas& deltas) {
  if (!person) return nullptr;
  Json result = {{"records", person->records}, {"relation", to_string(person->guarantee.relation)}};
  result.update(notions(person->guarantee));
  result["epsilon_at"] = epsilons(person->guarantee, deltas);
  return result;
}

Json to_json(const Given& given) {
  return {{"notion", given.budget ? to_string(given.budget->notion) : "gdp"},
          {"amount", number(given.budget ? given.budget->amount : given.mu)},
          {"delta", given.is_approximate() ? number(given.budget->delta) : Json(nullptr)}};
}

Json to_json(const Account& account) {
  Json result = {{"given", to_json(account.given)},
                 {"mechanism", account.mechanism.empty() ? Json(nullptr) : Json(account.mechanism)},
                 {"runs_at", to_json(account.runs_at)},
                 {"releases", account.releases},
                 {"relation", to_string(account.guarantee.relation)}};
  result.update(notions(account.guarantee));
  result["epsilon_at"] = epsilons(account.guarantee, account.deltas);
  result["rdp"] = Json::array();
  for (const char* order : kOrders) {
    const Rational alpha = parse_rational(order, "order");
    result["rdp"].push_back({{"alpha", number(alpha)}, {"epsilon", number(account.guarantee.rdp_at(alpha))}});
  }
  result["replace_one"] = notions(account.guarantee.replace_one());
  result["person"] = to_json(account.person, account.deltas);
  result["may_be_used_by"] = Json::object();
  for (const Allowance& allowance : account.allowances) {
    result["may_be_used_by"][allowance.mechanism] = to_json(std::optional(allowance.parameter));
  }
  result["notes"] = account.notes;
  result["no_guarantee"] = {{"epsilon_equivalent", number(root_of_twice(account.guarantee.rho))}, {"why", kEquivalent}};
  return result;
}

}  // namespace

void add_account(CLI::App& app) {
  CLI::App* command =
      add_command(app, "account", "Convert a privacy budget into every other notion",
                  "  dppl account --rho 0.005 --mechanism exponential --compose 10 --at-delta 1e-7\n"
                  "Ten releases of the exponential mechanism. Each stays within 0.005-zCDP, so each runs at\n"
                  "ε = 0.2. Prints the pure ε = 2, ρ = 0.05, the ε at some values of δ, and the cost when\n"
                  "neighbours replace a record. Costs are rounded up, so each printed line is a guarantee;\n"
                  "'none' means that no bound in that notion follows.\n"
                  "  dppl account --epsilon 0.1 --records-per-person 5\n"
                  "Also prints what a person with five records has: ε = 0.5.");
  auto options = std::make_shared<Options>();
  command->add_option("--epsilon", options->epsilon, "Pure ε-DP; with --delta (ε, δ)-DP")->type_name("E");
  command->add_option("--delta", options->delta, "The δ that goes with --epsilon")->type_name("D");
  command->add_option("--rho", options->rho, "ρ-zCDP")->type_name("R");
  command->add_option("--mu", options->mu, "μ-GDP, to convert only: no budget is in μ")->type_name("M");
  command->add_option("--mechanism", options->mechanism, "The mechanism that the budget is spent on, if known")
      ->check(CLI::IsMember({"exponential", "permute-and-flip", "laplace", "gaussian"}));
  command->add_option("--compose", options->releases, "How many such releases (default 1)")->type_name("N");
  command->add_option("--at-delta", options->at_deltas, "Also print ε at this δ; may be repeated")
      ->type_name("D")
      ->allow_extra_args(false);
  constexpr unsigned kMostRecords = 1'000'000;
  command
      ->add_option("--records-per-person", options->records_per_person,
                   fmt::format("Also print what a person with N records has (1 to {})", kMostRecords))
      ->check(CLI::Range(1U, kMostRecords))
      ->type_name("N");
  add_json(*command, options->json);
  command->callback([options] {
    const Account account = make_account(*options);
    if (options->json) {
      print_json(to_json(account));
    } else {
      print_table(account);
    }
  });
}

}  // namespace dppl::cli
