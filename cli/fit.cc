#include "dppl/fit.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <optional>

#include "cli/budget_options.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/paths.h"
#include "cli/private_errors.h"
#include "cli/progress.h"
#include "dppl/error.h"
#include "dppl/ledger.h"
#include "dppl/tune.h"

namespace dppl::cli {
namespace {

struct Options {
  std::string method = "auto", train, labels, rows, classes, pool, output;
  BudgetOptions budget;
  std::string transform = "none", shrink = "off", spread = "1", lift = "0", metric_share = "0", refine_share = "0.25",
              refine_rate = "0.4", balance = "0", threshold, distance = "cosine", mechanism = "exponential", estimator,
              norm, clip_min = "0", clip_max = "2", count_share = "0.1";
  size_t k = 5, average_pool = 1;
  uint64_t records = 0;
  unsigned coinpress_steps = 3, refine_steps = 0, threads = kDefaultThreads;
  std::string ledger, dataset;
  std::optional<uint64_t> seed;
  bool not_private = false, json = false;
  std::string set_by_hand;  // an option that tuning would have to overrule
};

// --transform auto with a method of the user's: that method's settings, tuned on the pool for a declared number of
// records.
Hyperparameters tuned(const Options& options, Method method, const BudgetSpec& budget, const PublicData* pool) {
  if (pool == nullptr) throw InvalidInput("--transform auto: is tuned on a public pool; give one with --pool");
  return choose(*pool, budget,
                {.classes = ClassSet::parse(options.classes).size(),
                 .records = options.records,
                 .method = method,
                 .threads = options.threads});
}

Hyperparameters hyperparameters_of(const Options& options, const BudgetSpec& budget, const PublicData* pool) {
  const Relation relation = budget.relation;
  Hyperparameters hp;
  hp.method = parse_method(options.method);
  if (options.transform == "auto") {
    if (hp.method != Method::automatic) return tuned(options, hp.method, budget, pool);
  } else {
    hp.transform = TransformSpec::parse(options.transform);
  }
  hp.transform.average_pool = options.average_pool;
  hp.distance = parse_distance(options.distance);
  const bool replaces = relation == Relation::replace_in_class;
  hp.estimator = options.estimator.empty() ? (replaces ? Estimator::naive : Estimator::noisy_sum)
                                           : parse_estimator(options.estimator);
  if (!options.norm.empty()) hp.norm = parse_positive(options.norm, "--norm");
  hp.count_share = parse_positive(options.count_share, "--count-share");
  hp.coinpress_steps = options.coinpress_steps;
  hp.shrink = options.shrink == "on";
  hp.spread = parse_positive(options.spread, "--spread");
  hp.lift = parse_rational(options.lift, "--lift");
  hp.metric_share = parse_rational(options.metric_share, "--metric-share");
  hp.refine_steps = options.refine_steps;
  if (hp.refine_steps > 0) {
    hp.refine_share = parse_positive(options.refine_share, "--refine-share");
    hp.refine_rate = parse_positive(options.refine_rate, "--refine-rate");
  }
  hp.balance = parse_rational(options.balance, "--balance");
  hp.selection = parse_selection(options.mechanism);
  hp.clip_min = parse_rational(options.clip_min, "--clip-min");
  hp.clip_max = parse_rational(options.clip_max, "--clip-max");
  if (!options.threshold.empty()) {
    hp.clip_min = parse_rational(options.threshold, "--threshold");
    hp.clip_max = hp.clip_min + kThresholdWidth;
  }
  hp.k = hp.method == Method::public_k ? options.k : 1;
  return hp;
}

std::unique_ptr<Random> random_of(const Options& options) {
  if (options.seed) return std::make_unique<SeededRandom>(*options.seed);
  return std::make_unique<SecureRandom>();
}

// What was promised, for the person who ran it.
void print_summary(const Options& options, const Model& model, const std::string& digest) {
  std::cout << fmt::format(
      "{}: {} with {} classes, {}\n", options.output, to_string(model.hyperparameters.method), model.classes.size(),
      model.guarantee.is_private
          ? "private: " + model.budget.describe() + " under " + std::string(to_string(model.budget.relation))
          : "NOT PRIVATE (fixed seed): do not publish it");
  if (model.budget.relation == Relation::replace_in_class) {
    std::cout << "Class sizes are taken as public: who can see the model may learn them. Only the contents of records "
                 "are protected.\n";
  }
  std::cout << fmt::format("digest {}\n'dppl inspect {}' tells the whole guarantee.\n", digest, options.output);
}

void run(const Options& options) {
  if (options.seed.has_value() != options.not_private) {
    throw CLI::ValidationError(
        "--seed",
        "a fixed seed makes a model that protects nobody: give --seed and --not-private together, or neither");
  }
  say_when_interrupted("nothing was spent and nothing was written");
  if (!options.set_by_hand.empty() && (options.method == "auto" || options.transform == "auto")) {
    throw CLI::ValidationError(options.set_by_hand,
                               "is what --method auto and --transform auto choose; leave it out, or name both");
  }
  if (options.ledger.empty() != options.dataset.empty()) throw CLI::ValidationError("--ledger", "goes with --dataset");
  const BudgetSpec budget = options.budget.read();
  FitOptions fit_options;
  fit_options.records = options.records;
  fit_options.threads = options.threads;

  std::optional<PublicData> pool;
  if (!options.pool.empty()) pool = PublicData::open(options.pool, options.threads);
  fit_options.hyperparameters = hyperparameters_of(options, budget, pool ? &*pool : nullptr);
  const ClassSet classes = ClassSet::parse(options.classes);
  refuse_overwriting({options.output},
                     {options.train, options.labels, options.rows, options.pool, options.classes, options.ledger});
  std::optional<Ledger> ledger;
  if (!options.ledger.empty()) {
    // Asked before a private record is read: with no budget left every answer is the same.
    ledger.emplace(options.ledger);
    const Hyperparameters asked = resolve(fit_options.hyperparameters, budget, pool ? &*pool : nullptr);
    ledger->check_affordable(options.dataset, budget, price(asked, budget));
  }
  ProgressBar progress("fit", "classes", classes.size());
  const auto rows = options.rows.empty() ? std::nullopt : std::optional(options.rows);
  const PrivateData data = PrivateData::open(options.train, options.labels, classes, rows, options.threads);
  fit_options.progress = [&progress](double fraction) { progress.update(fraction); };
  const FitPlan plan(data, pool ? &*pool : nullptr, fit_options, budget);
  if (!plan.untuned_because().empty()) {
    std::cerr << fmt::format("--method auto: not tuned ({}); {} with its plain settings instead\n",
                             plan.untuned_because(), to_string(plan.hyperparameters().method));
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
    reservation =
        ledger->reserve(options.dataset, budget, cost, "fit " + std::string(to_string(plan.hyperparameters().method)));
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

  if (options.json) {
    auto result = nlohmann::ordered_json::parse(model_json(model));
    result.erase("prototypes");
    result["model"] = options.output;
    result["digest"] = digest;
    print_json(result);
  } else {
    print_summary(options, model, digest);
  }
}

}  // namespace

void add_fit(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "fit", "Make a publishable classifier from private embeddings",
                  "  dppl ledger init --ledger clinic.ledger --dataset scans --rho 0.5\n"
                  "  dppl fit --method mean --train train-x.npy --labels train-y.npy --classes 10 --pool public-x.npy "
                  "--transform whiten:64 \\\n"
                  "           --rho 0.02 --ledger clinic.ledger --dataset scans -o scans.dppl\n"
                  "makes one prototype a class at the price of 0.02-zCDP and writes the price into the ledger.");
  command
      ->add_option("--method", options->method, "mean, public, public-k, or auto: the best of them, tuned on the pool")
      ->capture_default_str();
  command->add_option("--train", options->train, "Private embeddings (.npy, one row a record)")->required();
  command->add_option("--labels", options->labels, "Their labels (.npy of class numbers, or .txt of names)")
      ->required();
  command->add_option("--classes", options->classes, "The declared classes: a number, or a file with one name a line")
      ->required();
  command->add_option("--rows", options->rows, "Use only these rows (.npy of row numbers)");
  command->add_option("--pool", options->pool,
                      "Public embeddings of the same encoder (.npy, or a .pool of dppl pool build)");
  command->add_option("-o,--output", options->output, "The model to write")->required();
  options->budget.add_to(*command, "What the model may cost");
  command
      ->add_option("--transform", options->transform,
                   "Public transform of all rows: none, center, pca:K, whiten:K; auto: this and the method's other "
                   "settings, tuned on the pool")
      ->capture_default_str();
  command->add_option("--average-pool", options->average_pool, "Average this many neighbouring coordinates into one")
      ->capture_default_str();
  command->add_option("--norm", options->norm, "mean: clip rows to this length instead of scaling them to length 1");
  command->add_option("--distance", options->distance, "mean: cosine, or euclidean (buys a noisy count)")
      ->capture_default_str();
  command->add_option("--count-share", options->count_share, "euclidean: share of the budget for the noisy count")
      ->capture_default_str();
  command->add_option("--estimator", options->estimator,
                      "mean: noisy-sum (add-remove), naive or coinpress (replace-in-class)");
  command->add_option("--coinpress-steps", options->coinpress_steps, "coinpress: steps")->capture_default_str();
  command
      ->add_option("--shrink", options->shrink,
                   "mean: draw uncertain classes to where public rows are dense: on or off")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  command->add_option("--spread", options->spread, "shrink: how far from public rows classes are expected")
      ->capture_default_str();
  command->add_option("--lift", options->lift, "shrink: how much uncertain classes are moved forward, 0 to 1")
      ->capture_default_str();
  command
      ->add_option("--metric-share", options->metric_share,
                   "mean: share of the budget for a second moment of all records, by which they are compared")
      ->capture_default_str();
  CLI::Option* steps =
      command
          ->add_option("--refine-steps", options->refine_steps,
                       "shrink: noisy gradient steps from there, which move the borders between classes; 0: none")
          ->capture_default_str();
  command->add_option("--refine-share", options->refine_share, "refine-steps: their share of the budget")
      ->needs(steps)
      ->capture_default_str();
  command
      ->add_option("--refine-rate", options->refine_rate,
                   "refine-steps: how long they are: how much noise against the start")
      ->needs(steps)
      ->capture_default_str();
  command->add_option("--balance", options->balance, "refine-steps: how much small classes are moved forward, 0 to 1")
      ->needs(steps)
      ->capture_default_str();
  command->add_option("--records", options->records,
                      "auto: how many records to expect, a guess that is public (default: 1% of the budget tells)");
  command
      ->add_option("--threshold", options->threshold,
                   "public: a candidate scores 1 for every record with 1 + cosine of at least this, else 0")
      ->excludes(command->add_option("--clip-min", options->clip_min, "public: 1 + cosine below this counts as this")
                     ->capture_default_str());
  command->add_option("--clip-max", options->clip_max, "public: 1 + cosine above this counts as this")
      ->capture_default_str();
  command->add_option("--mechanism", options->mechanism, "public: exponential, permute-and-flip or laplace")
      ->capture_default_str();
  command->add_option("--k", options->k, "public-k: prototypes a class")->capture_default_str();
  command->add_option("--ledger", options->ledger, "Reserve the budget in this ledger first");
  command->add_option("--dataset", options->dataset, "The data set's name in the ledger");
  command->add_option("--seed", options->seed, "A fixed seed, for tests and experiments; needs --not-private")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--not-private", options->not_private, "Yes, a model that protects nobody");
  command->add_option("--threads", options->threads, "Threads; they never change the result")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_flag("--json", options->json, "One JSON object on standard output");
  add_private_errors_flag(*command);
  command->callback([options, command] {
    for (const char* name : {"--ledger", "--dataset"}) {
      if (command->count(name) > 0 && command->get_option(name)->as<std::string>().empty()) {
        throw CLI::ValidationError(name, "is empty; name it, or leave both out to fit without a ledger");
      }
    }
    for (const char* name :
         {"--clip-min", "--clip-max", "--threshold", "--mechanism", "--k", "--shrink", "--spread", "--lift",
          "--metric-share", "--refine-steps", "--refine-share", "--refine-rate", "--balance"}) {
      if (command->count(name) > 0) options->set_by_hand = name;
    }
    // Without tuning auto takes these into account; a method's own tuning does not know them.
    for (const char* name : {"--norm", "--distance", "--estimator", "--average-pool"}) {
      if (command->count(name) > 0 && options->method != "auto") options->set_by_hand = name;
    }
    run(*options);
  });
}

}  // namespace dppl::cli
