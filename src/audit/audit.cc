#include "dppl/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "audit/clopper_pearson.h"
#include "audit/constants.h"
#include "audit/fits.h"
#include "audit/games.h"
#include "audit/sensitivity.h"
#include "base/parallel.h"
#include "dppl/error.h"

namespace dppl {
namespace {

using Counts = std::map<int64_t, uint64_t>;

Counts simulate(const Game& game, int input, uint64_t trials, unsigned threads) {
  std::vector<Counts> parts(threads);
  parallel_blocks(trials, 1024, threads, [&](size_t begin, size_t end, unsigned thread) {
    SecureRandom random;
    for (size_t i = begin; i < end; ++i) ++parts[thread][game.simulate(input, random)];
  });
  Counts total;
  for (const Counts& part : parts) {
    for (const auto& [output, count] : part) total[output] += count;
  }
  return total;
}

uint64_t count_in(const Counts& counts, const std::set<int64_t>& event) {
  uint64_t sum = 0;
  for (const auto& [output, count] : counts) sum += event.contains(output) ? count : 0;
  return sum;
}

// A lower bound on ε from Pr[event | likely] <= e^ε·Pr[event | unlikely] + δ.
double epsilon_bound(uint64_t likely, uint64_t unlikely, uint64_t trials, double delta, double alpha) {
  const double p = clopper_pearson_lower(likely, trials, alpha) - delta;
  const double q = clopper_pearson_upper(unlikely, trials, alpha);
  return p > 0 ? std::log(p / q) : 0;
}

// The outputs most typical of `likely`, taken by falling ratio as long as the bound grows.
std::set<int64_t> best_event(const Counts& likely, const Counts& unlikely, uint64_t trials, double delta,
                             double alpha) {
  const auto ratio = [&](int64_t output) {
    const auto other = unlikely.find(output);
    return static_cast<double>(likely.at(output)) /
           (other == unlikely.end() ? 0.5 : static_cast<double>(other->second));
  };
  std::vector<int64_t> outputs;
  for (const auto& [output, count] : likely) outputs.push_back(output);
  std::sort(outputs.begin(), outputs.end(), [&](int64_t a, int64_t b) { return ratio(a) > ratio(b); });

  std::set<int64_t> event, best;
  double best_bound = -1;
  uint64_t p = 0, q = 0;
  for (const int64_t output : outputs) {
    event.insert(output);
    p += likely.at(output);
    const auto other = unlikely.find(output);
    q += other == unlikely.end() ? 0 : other->second;
    const double bound = epsilon_bound(p, q, trials, delta, alpha);
    if (bound > best_bound) {
      best_bound = bound;
      best = event;
    }
  }
  return best;
}

AuditResult run(const Game& game, const AuditOptions& options, bool planted) {
  AuditResult result;
  result.name = game.name;
  result.neighbours = game.neighbours;
  result.planted = planted;
  result.trials = options.trials;
  if (game.claim.epsilon) {
    result.claim = *game.claim.epsilon;
  } else {
    result.delta = kAuditDelta;
    result.claim = *game.claim.epsilon_at(result.delta);
  }
  const double delta = result.delta.get_d();
  const double alpha = (1 - options.confidence) / 4;  // two directions, two bounds each
  const uint64_t half = options.trials / 2;
  std::array<Counts, 2> choose, test;
  for (int input : {0, 1}) {
    choose[static_cast<size_t>(input)] = simulate(game, input, half, options.threads);
    test[static_cast<size_t>(input)] = simulate(game, input, half, options.threads);
  }
  for (const size_t likely : {0u, 1u}) {
    const auto event = best_event(choose[likely], choose[1 - likely], half, delta, alpha);
    const double bound =
        epsilon_bound(count_in(test[likely], event), count_in(test[1 - likely], event), half, delta, alpha);
    result.lower_bound = std::max(result.lower_bound, bound);
  }
  return result;
}

}  // namespace

std::string_view to_string(AuditMeasure measure) {
  switch (measure) {
    case AuditMeasure::epsilon:
      return "ε";
    case AuditMeasure::mu:
      return "μ";
    case AuditMeasure::norm:
      break;
  }
  return "norm";
}

std::vector<std::string> audit_names() {
  std::vector<std::string> names;
  for (const Game& game : honest_games()) names.push_back(game.name);
  return names;
}

namespace {

void check(const AuditOptions& options) {
  if (options.trials < kFewestTrials)
    throw InvalidInput(
        fmt::format("trials: {} are too few to bound anything; use at least {}", options.trials, kFewestTrials));
  if (options.fits < kFewestTrials)
    throw InvalidInput(
        fmt::format("fits: {} are too few to bound anything; use at least {}", options.fits, kFewestTrials));
  if (options.cases == 0) throw InvalidInput("cases: 0 must be at least 1");
  if (!(options.confidence > 0.5 && options.confidence < 1)) {
    throw InvalidInput(fmt::format("confidence: {} must lie between 0.5 and 1", options.confidence));
  }
  if (options.threads == 0) throw InvalidInput("threads: 0 must be at least 1");
}

void add_mechanisms(const AuditOptions& options, std::vector<AuditResult>& results) {
  const auto names = audit_names();
  const auto named = [&](const std::string& name) {
    return name == options.mechanism || name.starts_with(options.mechanism + " ");
  };
  if (!options.mechanism.empty() && std::none_of(names.begin(), names.end(), named)) {
    throw InvalidInput(
        fmt::format("mechanism '{}': is not known; known: {}", options.mechanism, fmt::join(names, ", ")));
  }
  const auto run_all = [&](const std::vector<Game>& games, bool planted) {
    for (const Game& game : games) {
      if (!planted && !options.mechanism.empty() && !named(game.name)) continue;
      if (options.progress) options.progress(game.name);
      results.push_back(run(game, options, planted));
    }
  };
  run_all(honest_games(), false);
  if (options.planted) run_all(planted_games(), true);
}

void add_fits(const AuditOptions& options, std::vector<AuditResult>& results) {
  const auto run_all = [&](const std::vector<Duel>& duels, bool planted) {
    for (const Duel& duel : duels) {
      if (options.progress) options.progress(duel.name);
      results.push_back(run_duel(duel, options.fits, options.confidence, options.threads));
      results.back().planted = planted;
    }
  };
  run_all(honest_fits(), false);
  if (options.planted) run_all(planted_fits(), true);
}

void add_statistics(const AuditOptions& options, std::vector<AuditResult>& results) {
  const auto append = [&](std::vector<AuditResult> rows) {
    results.insert(results.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
  };
  if (options.progress) options.progress("exact statistics");
  append(audit_sensitivity(options.cases, options.threads));
  append({audit_spends()});
  if (!options.planted) return;
  append(planted_sensitivities(options.cases, options.threads));
  append({planted_spends()});
}

}  // namespace

std::vector<AuditResult> audit(const AuditOptions& options) {
  check(options);
  std::vector<AuditResult> results;
  add_mechanisms(options, results);
  if (options.end_to_end) {
    add_fits(options, results);
    add_statistics(options, results);
  }
  return results;
}

}  // namespace dppl
