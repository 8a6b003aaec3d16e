#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dppl/sweep.h"
#include "lab/constants.h"
#include "lab/figures/drawings.h"
#include "lab/sweep/result_tables.h"
#include "report/page.h"

namespace dppl {
namespace {

// "a", "a and b", "a, b and c"
std::string listed(const std::vector<std::string>& words) {
  if (words.size() < 2) return fmt::format("{}", fmt::join(words, ""));
  return fmt::format("{} and {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

std::string plural(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

struct Source {
  const SweepResults& results;
  SweepRows rows, failed;
};

std::string how_imbalanced(const SweepRows& rows) {
  std::vector<std::string> ratios;
  for (const std::optional<double>& ratio : distinct(rows, [](const SweepRow& row) { return row.ratio; })) {
    if (ratio) ratios.push_back(fmt::format("{}", *ratio));
  }
  std::string result;
  if (!ratios.empty()) {
    result = fmt::format("; imbalance {} {} (the largest class to the smallest)",
                         ratios.size() == 1 ? "ratio" : "ratios", listed(ratios));
  }
  const auto natural = distinct(rows_where(rows, [](const SweepRow& row) { return !row.ratio; }),
                                [](const SweepRow& row) { return row.data; });
  if (!natural.empty())
    result += fmt::format("; {} as {}", listed(natural), natural.size() == 1 ? "it comes" : "they come");
  return result;
}

std::string what_was_run(const Source& source) {
  const SweepRows& rows = source.rows;
  const auto pools = distinct(rows_where(rows, [](const SweepRow& row) { return !row.pool.empty(); }),
                              [](const SweepRow& row) { return row.pool; });
  auto encoders = distinct(rows, [](const SweepRow& row) { return row.encoder; });
  std::erase(encoders, "");
  const auto methods = distinct(rows, [](const SweepRow& row) { return row.method; });
  const auto seeds = distinct(rows, [](const SweepRow& row) { return row.seed; });
  auto rhos = budgets(rows);
  std::erase(rhos, std::nullopt);
  std::string result =
      fmt::format("{} on {}, {}with {}", plural(methods.size(), "method"),
                  listed(distinct(rows, [](const SweepRow& row) { return row.data; })),
                  encoders.empty() ? "" : fmt::format("embedded by {}, ", listed(encoders)),
                  pools.empty() ? "no public pool"
                                : fmt::format("the public {} {}", pools.size() == 1 ? "pool" : "pools", listed(pools)));
  result += how_imbalanced(rows);
  if (!rhos.empty()) {
    result += rhos.size() == 1
                  ? fmt::format("; budget ρ = {}", *rhos.front())
                  : fmt::format("; {} budgets from ρ = {} to {}", rhos.size(), *rhos.front(), *rhos.back());
  }
  return result + fmt::format("; {}: {}, of which {}.", plural(seeds.size(), "seed"), plural(rows.size(), "run"),
                              source.failed.empty() ? "none failed" : fmt::format("{} failed", source.failed.size()));
}

void write_headline(HtmlWriter& out, const Source& source) {
  out.element("header", {}, [&] {
    out.paragraph("Comparison of methods", "kicker");
    out.text_element("h1", source.results.title);
    if (source.rows.empty()) return out.paragraph("There are no runs.", "lead");
    out.paragraph(what_was_run(source), "lead");
  });
  out.element("p", {{"class", "note"}}, [&] {
    out.text(
        "Accuracies are measured on test data. Runs are seeded, so nothing here was released with a guarantee: ρ is "
        "what a "
        "run would have cost in zero-concentrated differential privacy.");
    if (any_tuned_on_test(source.rows)) {
      out.text(" ");
      out.text_element(
          "strong",
          fmt::format("Methods with * had their settings chosen by test accuracy: {}, not private.", kTunedWords));
    }
  });
}

// ---- Tables

// In every column the best mean of those that did not see the test set.
std::vector<double> best_means(const ResultTable& table) {
  std::vector<double> best(table.budgets.size(), -1);
  for (const ResultTable::Line& line : table.lines) {
    for (size_t i = 0; i < best.size() && !line.tuned_on_test; ++i) {
      if (line.cells[i].statistics) best[i] = std::max(best[i], line.cells[i].statistics->mean);
    }
  }
  return best;
}

void write_results(HtmlWriter& out, const ResultTable& results) {
  const std::vector<double> best = best_means(results);
  Table table{{fmt::format("{}, %", results.measure.title)}};
  for (const auto& rho : results.budgets) table.headings.push_back(budget_words(rho));
  for (const ResultTable::Line& line : results.lines) {
    table.rows.push_back({{line.method + (line.tuned_on_test ? " *" : "")}});
    for (size_t i = 0; i < line.cells.size(); ++i) {
      const auto& statistics = line.cells[i].statistics;
      const bool is_best = statistics && !line.tuned_on_test && statistics->mean == best[i];
      table.rows.back().push_back({text_of(line.cells[i]), is_best ? "number best" : "number"});
    }
  }
  write_table(out, fmt::format("{}: {}", results.measure.title, describe(results.place)), table);
}

void write_tables(HtmlWriter& out, const Source& source) {
  const std::vector<ResultTable> tables = result_tables(source.rows);
  if (tables.empty()) return;
  section(out, "tables", "Accuracies", [&] {
    std::string note = "Mean ± standard error over seeds, in percent. In bold: the best mean at a budget";
    note += any_tuned_on_test(source.rows) ? fmt::format(", without those that are an {} (*).", kTunedWords) : ".";
    out.paragraph(note, "note");
    size_t places = 0;
    for (size_t i = 0; i < tables.size();) {
      const Place& place = tables[i].place;
      const auto body = [&] {
        out.text_element("summary", describe(place));
        for (; i < tables.size() && tables[i].place == place; ++i) write_results(out, tables[i]);
      };
      if (places++ < kOpenTables) {
        out.element("details", {{"open", ""}}, body);
      } else {
        out.element("details", {}, body);
      }
    }
  });
}

// ---- What went wrong, and how to see it again

void write_failures(HtmlWriter& out, const Source& source) {
  if (source.failed.empty()) return;
  section(out, "failures", "Failed runs", [&] {
    const size_t shown = std::min(source.failed.size(), kMostFailures);
    if (shown < source.failed.size()) {
      out.paragraph(fmt::format("The first {} of {}; results.csv has all.", shown, source.failed.size()), "note");
    }
    Table table{{"method", "where", "budget", "seed", "error"}};
    for (size_t i = 0; i < shown; ++i) {
      const SweepRow& row = *source.failed[i];
      table.rows.push_back({{row.method},
                            {describe(Place{row.data, row.encoder, row.pool, row.pool_rows, row.ratio}), ""},
                            {budget_words(row.rho)},
                            {std::to_string(row.seed)},
                            {row.error, ""}});
    }
    write_table(out, "Failed runs", table);
  });
}

void write_footer(HtmlWriter& out) {
  section(out, "repeat", "How to repeat it", [&] {
    out.element("p", {}, [&] {
      out.text("Every accuracy and every time on this page comes from ");
      out.text_element("code", "results.csv");
      out.text(
          ": one line per run, with its seed and its settings. The same plan with the same program gives the same "
          "accuracies.");
    });
  });
  out.element("footer", {{"class", "note"}}, [&] { out.paragraph(script_words(out)); });
}

}  // namespace

std::string sweep_html(const SweepResults& results, const std::vector<Figure>& figures) {
  const SweepRows rows = all_rows(results.rows);
  const Source source{results, rows, rows_where(rows, [](const SweepRow& row) { return row.status != "ok"; })};
  HtmlWriter out;
  write_headline(out, source);
  out.element("main", {}, [&] {
    write_tables(out, source);
    if (!figures.empty()) {
      section(out, "figures", "Figures", [&] {
        for (const Figure& figure : figures) write_figure(out, figure);
      });
    }
    write_failures(out, source);
    write_footer(out);
  });
  return html_page(results.title, out);
}

}  // namespace dppl
