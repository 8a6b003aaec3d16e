#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dppl/sweep.h"
#include "lab/figures/drawings.h"
#include "lab/sweep/result_tables.h"
#include "report/page.h"
#include "report/pieces.h"
#include "report/vega.h"

namespace dppl {
namespace {

constexpr size_t kMostOpen = 2;       // places whose tables are unfolded at first
constexpr size_t kMostFailures = 50;  // that are listed

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
  bool live;  // charts that a script draws in place of the still ones
};

std::string what_was_run(const Source& source) {
  const SweepRows& rows = source.rows;
  const auto pools = distinct(rows_where(rows, [](const SweepRow& row) { return !row.pool.empty(); }),
                              [](const SweepRow& row) { return row.pool; });
  std::vector<std::string> ratios;
  for (const double ratio : distinct(rows, [](const SweepRow& row) { return row.ratio; }))
    ratios.push_back(fmt::format("{}", ratio));
  const auto methods = distinct(rows, [](const SweepRow& row) { return row.method; });
  const auto seeds = distinct(rows, [](const SweepRow& row) { return row.seed; });
  auto rhos = budgets(rows);
  std::erase(rhos, std::nullopt);
  std::string result = fmt::format(
      "{} on {}, embedded by {}, with {}; imbalance {} {} (the largest class to the smallest)",
      plural(methods.size(), "method"), listed(distinct(rows, [](const SweepRow& row) { return row.data; })),
      listed(distinct(rows, [](const SweepRow& row) { return row.encoder; })),
      pools.empty() ? "no public pool"
                    : fmt::format("the public {} {}", pools.size() == 1 ? "pool" : "pools", listed(pools)),
      ratios.size() == 1 ? "ratio" : "ratios", listed(ratios));
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
    out.text_element("p", "Comparison of methods", {{"class", "kicker"}});
    out.text_element("h1", source.results.title);
    if (source.rows.empty()) return out.text_element("p", "There are no runs.", {{"class", "lead"}});
    out.text_element("p", what_was_run(source), {{"class", "lead"}});
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

void write_table(HtmlWriter& out, const ResultTable& results) {
  const std::vector<double> best = best_means(results);
  std::vector<std::string> headings{fmt::format("{}, %", results.measure.title)};
  for (const auto& rho : results.budgets) headings.push_back(budget_words(rho));
  table(out, fmt::format("{}: {}", results.measure.title, describe(results.place)), headings, [&] {
    for (const ResultTable::Line& line : results.lines) {
      out.element("tr", {}, [&] {
        row_heading(out, line.method + (line.tuned_on_test ? " *" : ""));
        for (size_t i = 0; i < line.cells.size(); ++i) {
          const auto& statistics = line.cells[i].statistics;
          const bool is_best = statistics && !line.tuned_on_test && statistics->mean == best[i];
          out.text_element("td", text_of(line.cells[i]), {{"class", is_best ? "number best" : "number"}});
        }
      });
    }
  });
}

void write_tables(HtmlWriter& out, const Source& source) {
  const std::vector<ResultTable> tables = result_tables(source.rows);
  if (tables.empty()) return;
  section(out, "tables", "Accuracies", [&] {
    std::string note = "Mean ± standard error over seeds, in percent. In bold: the best mean at a budget";
    note += any_tuned_on_test(source.rows) ? fmt::format(", without those that are an {} (*).", kTunedWords) : ".";
    out.text_element("p", note, {{"class", "note"}});
    size_t places = 0;
    for (size_t i = 0; i < tables.size();) {
      const Place& place = tables[i].place;
      const auto body = [&] {
        out.text_element("summary", describe(place));
        for (; i < tables.size() && tables[i].place == place; ++i) write_table(out, tables[i]);
      };
      if (places++ < kMostOpen) {
        out.element("details", {{"open", ""}}, body);
      } else {
        out.element("details", {}, body);
      }
    }
  });
}

// ---- Figures

void write_figure(HtmlWriter& out, const Figure& figure, bool live) {
  const bool small = figure.panels.size() == 1;
  out.element("figure", {{"class", small ? "figure small" : "figure"}, {"id", figure.name}}, [&] {
    if (figure.panels.empty()) {
      out.text_element("h3", figure.title);
      out.append(figure.table);
    } else {
      out.element("div", {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", figure.title}},
                  [&] { draw_figure(out, figure); });
      if (live) {
        out.json(vega_lite(figure), {{"type", "application/json"}, {"class", "chart"}, {"data-name", figure.name}});
      }
    }
    out.element("figcaption", {}, [&] {
      out.text(figure.caption);
      if (figure.alarm.empty()) return;
      out.text(" ");
      out.text_element("strong", figure.alarm + ".", {{"class", "warning"}});
    });
  });
}

void write_figures(HtmlWriter& out, const Source& source) {
  const std::vector<Figure> figures = sweep_drawings(source.results);
  if (figures.empty()) return;
  section(out, "figures", "Figures", [&] {
    for (const Figure& figure : figures) write_figure(out, figure, source.live);
  });
}

// ---- What went wrong, and how to see it again

void write_failures(HtmlWriter& out, const Source& source) {
  if (source.failed.empty()) return;
  section(out, "failures", "Failed runs", [&] {
    const size_t shown = std::min(source.failed.size(), kMostFailures);
    if (shown < source.failed.size()) {
      out.text_element("p", fmt::format("The first {} of {}; results.csv has all.", shown, source.failed.size()),
                       {{"class", "note"}});
    }
    table(out, "Failed runs", {"method", "where", "budget", "seed", "error"}, [&] {
      for (size_t i = 0; i < shown; ++i) {
        const SweepRow& row = *source.failed[i];
        out.element("tr", {}, [&] {
          row_heading(out, row.method);
          out.text_element("td", describe(Place{row.data, row.encoder, row.pool, row.pool_rows, row.ratio}));
          out.text_element("td", budget_words(row.rho));
          out.text_element("td", std::to_string(row.seed));
          out.text_element("td", row.error);
        });
      }
    });
  });
}

void write_footer(HtmlWriter& out, bool live) {
  section(out, "repeat", "How to repeat it", [&] {
    out.element("p", {}, [&] {
      out.text("Every accuracy and every time on this page comes from ");
      out.text_element("code", "results.csv");
      out.text(
          ": one line a run, with its seed and its settings. The same plan with the same program gives the same "
          "accuracies: ");
      out.text_element("code", "dppl sweep PLAN.toml -o DIR");
      out.text(".");
    });
  });
  out.element("footer", {{"class", "note"}}, [&] {
    out.text_element("p", live ? "This page loads nothing. Vega-Lite, which it brings along, draws its charts: values "
                                 "show on hovering, and a click on a name in a legend brings that line out."
                               : "This page loads nothing and runs no script.");
  });
}

}  // namespace

std::string sweep_html(const SweepResults& results, SweepCharts charts) {
  const SweepRows rows = all_rows(results.rows);
  const bool live = charts == SweepCharts::live && !vega_library().empty();
  const Source source{results, rows, rows_where(rows, [](const SweepRow& row) { return row.status != "ok"; }), live};
  HtmlWriter out;
  write_headline(out, source);
  out.element("main", {}, [&] {
    write_tables(out, source);
    write_figures(out, source);
    write_failures(out, source);
    write_footer(out, live);
  });
  if (!live) return html_page(results.title, out.html());
  const std::string_view scripts[] = {vega_library(), kDrawCharts};
  return html_page(results.title, out.html(), scripts);
}

}  // namespace dppl
