#include "dppl/fit.h"

#include <fmt/format.h>

#include <cctype>
#include <iostream>
#include <map>
#include <memory>
#include <optional>

#include "cli/budget_options.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/paths.h"
#include "cli/progress.h"
#include "dppl/error.h"
#include "dppl/ledger.h"

namespace dppl::cli {
namespace {

struct Options {
  std::string method = "auto", train, labels, rows, people, classes, pool, output;
  std::string examples, example_labels, class_prior;
  bool public_only = false;
  BudgetOptions budget;
  std::map<std::string, std::string> settings;  // those that were given, by name
  unsigned threads = kDefaultThreads;
  std::string ledger, dataset;
  std::optional<uint64_t> seed;
  bool not_private = false, json = false;
};

std::unique_ptr<Random> random_of(const Options& options) {
  if (options.seed) return std::make_unique<SeededRandom>(*options.seed);
  return std::make_unique<SecureRandom>();
}

// What was promised, for the person who ran it.
void print_summary(const Options& options, const Model& model, const std::string& digest) {
  std::cout << fmt::format(
      "{}: {} with {} classes, {}\n", options.output, method_name(model.settings), model.classes.size(),
      model.guarantee.is_private
          ? "private: " + model.budget.describe() + " under " + std::string(to_string(model.budget.relation))
          : "NOT PRIVATE (fixed seed): do not publish it");
  std::cout << fmt::format("digest {}\n'dppl inspect {}' tells the whole guarantee.\n", digest, options.output);
}

std::shared_ptr<const ClassKnowledge> knowledge_of(const Options& options, const ClassSet& classes) {
  if (options.examples.empty() != options.example_labels.empty()) {
    throw CLI::ValidationError("--examples", "goes with --example-labels");
  }
  if (options.examples.empty() && options.class_prior.empty()) return nullptr;
  return std::make_shared<ClassKnowledge>(
      ClassKnowledge::open(classes, options.examples, options.example_labels, options.class_prior, options.threads));
}

BudgetSpec read_budget(const Options& options) {
  try {
    return options.budget.read(options.people.empty() ? Relation::add_remove : Relation::add_remove_person);
  } catch (const InvalidInput& error) {
    throw InvalidInput(
        fmt::format("{}; to spend nothing, 'dppl fit --public-only' makes a model of public examples or "
                    "class vectors alone",
                    error.what()));
  }
}

void print_result(const Options& options, const Model& model, const std::string& digest) {
  if (!options.json) return print_summary(options, model, digest);
  auto result = nlohmann::ordered_json::parse(model_json(model));
  result.erase("prototypes");
  result["model"] = options.output;
  result["digest"] = digest;
  print_json(result);
}

// A model of public knowledge alone: no private data, no budget, no ledger.
void run_public_only(const Options& options) {
  for (const auto& [name, given] : {std::pair{"--train", !options.train.empty()},
                                    {"--labels", !options.labels.empty()},
                                    {"--rows", !options.rows.empty()},
                                    {"--people", !options.people.empty()},
                                    {"--ledger", !options.ledger.empty()},
                                    {"--rho or --epsilon", options.budget.given()},
                                    {"--seed", options.seed.has_value()}}) {
    if (given)
      throw CLI::ValidationError("--public-only",
                                 fmt::format("reads no private data and spends nothing: leave out {}", name));
  }
  const ClassSet classes = ClassSet::parse(options.classes);
  const auto knowledge = knowledge_of(options, classes);
  if (knowledge == nullptr) throw CLI::ValidationError("--public-only", "needs --examples or --class-prior");
  std::optional<PublicData> pool;
  if (!options.pool.empty()) pool = PublicData::open(options.pool, options.threads);
  refuse_overwriting({options.output}, {options.examples, options.example_labels, options.class_prior, options.pool});
  std::map<std::string, SettingValue, std::less<>> given;
  for (const auto& [name, text] : options.settings) given[name] = parse_setting(setting_field(name), text);
  const Model model = fit_public_only(*knowledge, pool, read_settings(options.method, given), options.threads);
  print_result(options, model, save_model(model, options.output));
}

void run(const Options& options) {
  if (options.public_only) return run_public_only(options);
  for (const auto& [name, value] : {std::pair{"--train", options.train}, {"--labels", options.labels}}) {
    if (value.empty()) throw CLI::RequiredError(name);
  }
  if (options.seed.has_value() != options.not_private) {
    throw CLI::ValidationError(
        "--seed",
        "a fixed seed makes a model that protects nobody: give --seed and --not-private together, or neither");
  }
  say_when_interrupted("nothing was spent and nothing was written");
  if (options.ledger.empty() != options.dataset.empty()) throw CLI::ValidationError("--ledger", "goes with --dataset");
  const BudgetSpec budget = read_budget(options);
  FitOptions fit_options;
  fit_options.threads = options.threads;

  std::optional<PublicData> pool;
  if (!options.pool.empty()) pool = PublicData::open(options.pool, options.threads);
  const ClassSet classes = ClassSet::parse(options.classes);
  fit_options.settings =
      choose_settings(options.method, options.settings, budget, pool, classes.size(), options.threads);
  fit_options.knowledge = knowledge_of(options, classes);
  refuse_overwriting({options.output},
                     {options.train, options.labels, options.rows, options.people, options.pool, options.classes,
                      options.ledger, options.examples, options.example_labels, options.class_prior});
  std::optional<Ledger> ledger;
  if (!options.ledger.empty()) {
    // Asked before a private record is read: with no budget left every answer is the same.
    ledger.emplace(options.ledger);
    const Settings asked = resolve(fit_options.settings, budget, pool);
    ledger->check_affordable(options.dataset, budget, price(asked, budget));
  }
  ProgressBar progress("fit", "classes", classes.size());
  const PrivateData data =
      PrivateData::open({options.train, options.labels, options.rows, options.people}, classes, options.threads);
  fit_options.progress = [&progress](double fraction) { progress.update(fraction); };
  const FitPlan plan(data, pool, fit_options, budget);
  if (!plan.plain_because().empty()) {
    std::cerr << fmt::format("--method auto: nothing to choose by ({}); {} with its plain settings instead\n",
                             plan.plain_because(), method_name(plan.settings()));
  }
  ModelWriter writer(options.output, plan.model_bytes());  // a full disk is found here

  // From here on the budget counts as spent, whatever happens.
  std::optional<Reservation> reservation;
  const std::unique_ptr<Random> random = random_of(options);
  if (!options.ledger.empty()) {
    Guarantee cost = plan.price();
    cost.is_private = random->is_private();
    say_when_interrupted(
        fmt::format("{} may be reserved for {}: 'dppl ledger show --ledger {}' tells; no model was written",
                    budget.describe(), options.dataset, options.ledger));
    reservation = ledger->reserve(options.dataset, budget, cost, "fit " + std::string(method_name(plan.settings())));
    say_when_interrupted(fmt::format("{} stays reserved for {} in {}; no model was written", budget.describe(),
                                     options.dataset, options.ledger));
  } else {
    say_when_interrupted("no model was written");
    std::cerr
        << "No ledger: what this fit spends is written down nowhere; --ledger FILE --dataset NAME keeps the account.\n";
  }
  Model model = plan.run(reservation ? reservation->take_budget() : Budget::unledgered(budget), *random);
  if (reservation) model.ledger_entry = reservation->digest();
  say_when_interrupted("the budget is spent; the model is there if its file is");
  const std::string digest = reservation ? writer.commit(model, *ledger, *reservation) : writer.commit(model);
  say_when_interrupted("the model is written");

  print_result(options, model, digest);
}

// One option per setting, from the table of settings.
void add_settings(CLI::App& command, Options& options) {
  for (const SettingField& field : setting_fields()) {
    if (field.of_older_models) continue;
    const std::string flag = "--" + std::string(field.name);
    std::string words(field.words);
    words[0] = static_cast<char>(std::toupper(words[0]));
    if (field.name == "transform") words += "; auto: this and the method's other settings, chosen";
    CLI::Option* option = command.add_option_function<std::string>(
        flag, [&options, name = std::string(field.name)](const std::string& text) { options.settings[name] = text; },
        words);
    if (field.type == SettingField::Type::flag) option->check(CLI::IsMember({"on", "off"}));
    if (!field.standard.empty()) option->default_str(std::string(field.standard));
    if (field.name == "transform") continue;  // most people need it
    option->group("Settings of " + std::string(field.methods));
  }
}

}  // namespace

void add_fit(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "fit", "Make a publishable classifier from private embeddings",
                  "  dppl ledger init --ledger clinic.ledger --dataset scans --rho 0.5\n"
                  "  dppl fit --train train-x.npy --labels train-y.npy --classes names.txt --pool public-x.npy \\\n"
                  "           --rho 0.02 --ledger clinic.ledger --dataset scans -o scans.dppl\n"
                  "makes prototypes for every class at the price of 0.02-zCDP and writes the price into the ledger.");
  command
      ->add_option("--method", options->method,
                   "mean, public, public-k, or auto: chosen for the budget, the pool and noisy class sizes")
      ->capture_default_str();
  command->add_option("--train", options->train, "Private embeddings (.npy, one row per record)");
  command->add_option("--labels", options->labels, "Their labels (.npy of class numbers, or .txt of names)");
  command->add_option("--classes", options->classes, "The declared classes: a number, or a file with one name per line")
      ->required();
  command->add_option("--rows", options->rows, "Use only these rows (.npy of row numbers)");
  command->add_option("--people", options->people,
                      "Whose record each row is (.npy of numbers or names, or .txt): privacy for people");
  command->add_option("--pool", options->pool,
                      "Public embeddings of the same encoder (.npy, or a .pool or .pools of dppl pool)");
  command->add_option("--examples", options->examples,
                      "Public rows that show classes, any number of each; they cost nothing");
  command->add_option("--example-labels", options->example_labels, "Their labels (.npy or .txt)");
  command->add_option("--class-prior", options->class_prior,
                      "One public vector per class, such as its name's embedding; zeros: nothing known");
  command->add_option("-o,--output", options->output, "The model to write")->required();
  options->budget.add_to(*command, "What the model may cost", false);
  command->add_option("--ledger", options->ledger, "Reserve the budget in this ledger first");
  command->add_option("--dataset", options->dataset, "The data set's name in the ledger");
  add_json(*command, options->json);
  add_settings(*command, *options);
  const AdvancedGroup other(*command, kOtherOptions);
  other.add_option("--seed", options->seed, "A fixed seed, for tests and experiments; needs --not-private")
      ->check(CLI::NonNegativeNumber);
  other.add_flag("--not-private", options->not_private, "Yes, a model that protects nobody");
  other.add_flag("--public-only", options->public_only,
                 "A model of --examples and --class-prior alone: reads no private data, spends nothing");
  add_threads(*command, options->threads);
  add_private_errors_flag(*command);
  command->callback([options, command] {
    for (const char* name : {"--ledger", "--dataset"}) {
      if (command->count(name) > 0 && command->get_option(name)->as<std::string>().empty()) {
        throw CLI::ValidationError(name, "is empty; name it, or leave both out to fit without a ledger");
      }
    }
    try {
      run(*options);
    } catch (const ChosenSetting& error) {
      throw CLI::ValidationError(std::string("--") + error.what());
    } catch (const InvalidSetting& error) {
      throw InvalidInput(std::string("--") + error.what());
    }
  });
}

}  // namespace dppl::cli
