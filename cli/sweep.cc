#include "dppl/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "dppl/invalid_record.h"

namespace dppl::cli {
namespace {

struct Options {
  std::string plan, output, data;
  unsigned threads = kDefaultThreads;
  bool json = false, runs_only = false;
};

void run(const Options& options) {
  const SweepPlan plan = load_plan(options.plan, options.data);
  say_when_interrupted(
      fmt::format("finished runs are kept in {}; the same command continues from there", options.output));
  SweepResults results;
  {
    ProgressBar progress("sweep", "runs");
    results = run_sweep(plan, {.directory = options.output,
                               .version = DPPL_VERSION,
                               .threads = options.threads,
                               .runs_only = options.runs_only,
                               .progress = [&](uint64_t done, uint64_t total) { progress.count(done, total); }});
  }
  if (options.runs_only) {
    if (options.json) {
      print_json({{"directory", options.output},
                  {"done", results.done},
                  {"by_others", results.by_others},
                  {"taken_over", results.taken_over},
                  {"private", false}});
    } else {
      std::cout << fmt::format("{}: {} runs done here, {} by others meanwhile, {} before\n", options.output,
                               results.done, results.by_others, results.taken_over);
    }
    return;
  }
  const SweepFiles files = write_sweep(results, options.output);
  const auto failed =
      std::count_if(results.rows.begin(), results.rows.end(), [](const SweepRow& row) { return row.status != "ok"; });
  if (options.json) {
    print_json({{"results", files.results},
                {"report", files.report},
                {"figures", files.figures},
                {"runs", results.rows.size()},
                {"failed", failed},
                {"taken_over", results.taken_over},
                {"done", results.done},
                {"by_others", results.by_others},
                {"private", false},
                {"table", nlohmann::ordered_json::parse(results_json(results.rows))}});
  } else {
    std::cout << describe_results(results.rows);
    std::cout << fmt::format("{}\n{}: {} figures; open it in a browser\n", files.results, files.report,
                             files.figures.size());
  }
  if (failed > 0) {
    std::cerr << fmt::format("dppl: warning: {} of {} runs failed; the column 'error' of {} says why\n", failed,
                             results.rows.size(), files.results);
  }
}

}  // namespace

void add_sweep(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "sweep", "Run the many fits of a plan, and draw the results (for experiments)",
                  "  dppl sweep plans/accuracy.toml -o accuracy --data embeddings/\n"
                  "writes accuracy/results.csv, accuracy/report.html and accuracy/figures. After an interruption the\n"
                  "same command continues. Started several times, also on machines that share the directory, the\n"
                  "processes share the runs. A run that fails becomes a row that says why, and a warning at the end;\n"
                  "the exit status is still 0. Nothing here is private: runs are seeded, and accuracies are measured\n"
                  "on private records. docs/sweep.md explains how to write a plan.");
  command->add_option("plan", options->plan, "What to run")->required()->type_name("PLAN.toml");
  command->add_option("-o,--output", options->output, "The directory for the results")->required()->type_name("DIR");
  command
      ->add_option("--data", options->data,
                   "Where the plan's relative paths start (default: the directory of the plan)")
      ->type_name("DIR");
  command->add_flag("--runs-only", options->runs_only,
                    "Do runs that nobody else does now, and write no tables: for helpers of another 'dppl sweep'");
  add_json(*command, options->json);
  add_threads(*command, options->threads, "Runs at the same time; their number never changes the results");
  command->callback([options] { with_public_records([&] { run(*options); }); });
}

}  // namespace dppl::cli
