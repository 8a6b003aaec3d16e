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
                    {"claim", result.claim.get_d()},
                    {"delta", result.delta.get_d()},
                    {"lower_bound", result.lower_bound},
                    {"trials", result.trials},
                    {"planted", result.planted},
                    {"refuted", result.refuted()},
                    {"neighbours", result.neighbours}});
  }
  return {{"mechanisms", rows}};
}

void print_table(const std::vector<AuditResult>& results) {
  size_t width = 9;
  for (const AuditResult& result : results) width = std::max(width, result.name.size());
  std::cout << fmt::format("{:<{}}  {:>10}  {:>8}  {:>11}  {:>9}  {}\n", "mechanism", width, "claimed ε", "at δ",
                           "lower bound", "trials", "verdict");
  for (const AuditResult& result : results) {
    std::cout << fmt::format("{:<{}}  {:>9}  {:>7}  {:>11.4f}  {:>9}  {}\n", result.name, width,
                             to_decimal(result.claim, 5, Rounding::up), to_decimal(result.delta, 3, Rounding::up),
                             result.lower_bound, result.trials,
                             result.refuted() ? "above the claim: broken" : "within the claim");
  }
}

}  // namespace

void add_audit(CLI::App& app) {
  auto options = std::make_shared<AuditOptions>();
  auto json = std::make_shared<bool>(false);
  CLI::App* command = add_command(app, "audit",
                                  "Plays every mechanism many times on neighbouring inputs that are hard to hide and "
                                  "prints the Clopper-Pearson lower bound on its ε "
                                  "beside the claim. A bound above the claim refutes it; a bound below proves nothing.",
                                  "  dppl audit --trials 200000 --planted\n"
                                  "  plays all mechanisms, and some that are broken on purpose and must be found out.\n"
                                  "Exit status 1 when a mechanism's claim is refuted, or a planted one's is not.");
  command->add_option("--mechanism", options->mechanism,
                      "Only this one: " + fmt::format("{}", fmt::join(audit_names(), ", ")));
  command->add_option("--trials", options->trials, "Runs on each of the two inputs")->capture_default_str();
  command->add_option("--confidence", options->confidence, "That each bound is a true lower bound")
      ->capture_default_str();
  command->add_option("--threads", options->threads, "Threads")->capture_default_str();
  command->add_flag("--planted", options->planted, "Also play mechanisms that are broken on purpose");
  command->add_flag("--json", *json, "One JSON object on standard output");
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
                                result.planted ? "was not found out; use more --trials"
                                               : "is not as private as it claims; do not release with it"));
      }
    }
  });
}

}  // namespace dppl::cli
