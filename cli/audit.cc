#include "dppl/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "cli/command.h"
#include "dppl/error.h"

namespace dppl::cli {
namespace {

nlohmann::ordered_json to_json(const std::vector<AuditResult>& results) {
  auto rows = nlohmann::ordered_json::array();
  for (const AuditResult& result : results) {
    rows.push_back({{"name", result.name},
                    {"measure", to_string(result.measure)},
                    {"claim", result.claim.get_d()},
                    {"delta", result.delta.get_d()},
                    {"lower_bound", result.lower_bound},
                    {"trials", result.trials},
                    {"planted", result.planted},
                    {"refuted", result.refuted()},
                    {"must_reach", result.reach * result.claim.get_d()},
                    {"neighbours", result.neighbours}});
  }
  return {{"mechanisms", rows}};
}

std::string_view verdict(const AuditResult& result) {
  if (result.planted) return result.refuted() ? "found out" : "NOT FOUND OUT";
  if (result.refuted()) return "above the claim: BROKEN";
  return result.idle() ? "too far below the claim to say anything" : "within the claim";
}

void print_table(const std::vector<AuditResult>& results) {
  size_t width = 9;
  for (const AuditResult& result : results) width = std::max(width, result.name.size());
  // Counted in bytes: Greek letters and "δ" take two.
  std::cout << fmt::format("{:<{}}  {:<7}  {:>7}  {:>8}  {:>11}  {:>7}  {}\n", "what", width, "measure", "claim",
                           "at δ", "lower bound", "trials", "verdict");
  for (const AuditResult& result : results) {
    const std::string_view measure = to_string(result.measure);
    const int pad = measure.size() == 2 ? 8 : 7;
    size_t greek = 0;
    for (const char byte : result.name) greek += (static_cast<unsigned char>(byte) & 0xC0) == 0x80 ? 1 : 0;
    std::cout << fmt::format("{:<{}}  {:<{}}  {:>7}  {:>7}  {:>11.4f}  {:>7}  {}\n", result.name, width + greek,
                             measure, pad, to_decimal(result.claim, 5, Rounding::up),
                             to_decimal(result.delta, 3, Rounding::up), result.lower_bound, result.trials,
                             verdict(result));
  }
}

}  // namespace

void add_audit(CLI::App& app) {
  auto options = std::make_shared<AuditOptions>();
  auto json = std::make_shared<bool>(false);
  CLI::App* command =
      add_command(app, "audit", "Measure a lower bound on the privacy loss, beside the claim",
                  "  dppl audit --planted\n"
                  "runs every mechanism many times on two neighbouring inputs whose difference is hard to hide:\n"
                  "the Clopper-Pearson lower bound on its ε stands beside the claim. A bound above it refutes it;\n"
                  "a bound below proves nothing. Some mechanisms are broken on purpose and must be found.\n"
                  "  dppl audit --end-to-end --planted\n"
                  "also runs whole fits: every method, with pools and transforms, against the exact trade-off of\n"
                  "Gaussian noise; and it measures how far one record moves every exact sum, for crafted pools\n"
                  "and records. docs/audit.md explains it.\n"
                  "Exit status 1 when a claim is refuted, when a planted mistake is not found, or when a bound\n"
                  "stays so far below its claim that it says nothing.");
  command->add_flag("--end-to-end", options->end_to_end, "Also run whole fits and measure exact statistics");
  command->add_flag("--planted", options->planted, "Also run mechanisms and fits that are broken on purpose");
  command
      ->add_option("--mechanism", options->mechanism,
                   "Only this one: " + fmt::format("{}", fmt::join(audit_names(), ", ")))
      ->type_name("NAME");
  add_json(*command, *json);
  const AdvancedGroup effort(*command, "How many runs");
  effort.add_option("--trials", options->trials, "Runs of a mechanism on each of the two inputs")
      ->capture_default_str();
  effort
      .add_option("--fits", options->fits, "Fits on each of the two data sets; rare events take up to 14 times as many")
      ->capture_default_str();
  effort.add_option("--cases", options->cases, "Pools and records for which exact statistics are measured")
      ->capture_default_str();
  effort.add_option("--confidence", options->confidence, "The probability that each bound is a true lower bound")
      ->capture_default_str();
  add_threads(*command, options->threads, "Threads");
  command->callback([=] {
    options->progress = [](const std::string& name) { std::cerr << "auditing " << name << "\n"; };
    const auto results = audit(*options);
    if (*json) {
      print_json(to_json(results));
    } else {
      print_table(results);
    }
    for (const AuditResult& result : results) {
      if (result.refuted() != result.planted) {
        throw Error(fmt::format("audit: {} {}", result.name,
                                result.planted ? "was not found; use more --trials or --fits"
                                               : "is not as private as it claims; do not release with it"));
      }
      if (!result.planted && result.idle()) {
        throw Error(
            fmt::format("audit: {} stays too far below its claim to say anything; use more --fits", result.name));
      }
    }
  });
}

}  // namespace dppl::cli
