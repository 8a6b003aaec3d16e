#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/constants.h"
#include "report/page.h"
#include "report/sections.h"
#include "report/table.h"

namespace dppl {
namespace {

using Models = std::vector<const ReportedModel*>;  // of the same classes, at least one

bool same_classes(const Evaluation& a, const Evaluation& b) {
  return std::equal(a.per_class.begin(), a.per_class.end(), b.per_class.begin(), b.per_class.end(),
                    [](const ClassEvaluation& x, const ClassEvaluation& y) { return x.name == y.name; });
}

std::vector<Models> groups(const Report& report) {
  std::vector<Models> result;
  for (const ReportedModel& one : report.models) {
    if (!one.evaluation) continue;
    const auto found = std::find_if(result.begin(), result.end(), [&](const Models& group) {
      return same_classes(*group.front()->evaluation, *one.evaluation);
    });
    found == result.end() ? result.push_back({&one}) : found->push_back(&one);
  }
  return result;
}

// The mean over the models; beyond all others where a class has no test record.
double mean_recall(const Models& models, size_t c) {
  double sum = 0;
  for (const ReportedModel* one : models) sum += one->evaluation->per_class[c].accuracy.value_or(2);
  return sum / static_cast<double>(models.size());
}

std::vector<size_t> lowest_first(const Models& models, size_t classes) {
  std::vector<double> recall(classes);
  for (size_t c = 0; c < classes; ++c) recall[c] = mean_recall(models, c);
  std::vector<size_t> order(classes);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return recall[a] < recall[b]; });
  return order;
}

void write_classes(HtmlWriter& out, const Models& models, std::span<const size_t> classes) {
  Table recalls{{"class", "test records"}};
  for (const ReportedModel* one : models) recalls.headings.push_back(one->name);
  for (const size_t c : classes) {
    const ClassEvaluation& first = models.front()->evaluation->per_class[c];
    std::vector<Cell> row = {{first.name}, {std::to_string(first.n)}};
    for (const ReportedModel* one : models) row.push_back(fraction_cell(one->evaluation->per_class[c].accuracy));
    recalls.rows.push_back(std::move(row));
  }
  write_table(out, "Recall of every class", recalls);
}

void write_group(HtmlWriter& out, const Models& models) {
  const size_t classes = models.front()->evaluation->per_class.size();
  std::vector<size_t> order = lowest_first(models, classes);
  if (classes <= kOpenRecalls) {
    std::sort(order.begin(), order.end());
    return write_classes(out, models, order);
  }
  out.paragraph(fmt::format("The {} classes with the lowest recall, of {}:", kOpenRecalls, classes));
  write_classes(out, models, std::span(order).first(kOpenRecalls));
  const size_t shown = std::min(classes, kMostRecalls);
  out.element("details", {}, [&] {
    out.text_element("summary", shown == classes ? "All classes" : fmt::format("The first {} classes", shown));
    std::sort(order.begin(), order.end());
    write_classes(out, models, std::span(order).first(shown));
  });
}

}  // namespace

void write_recalls(HtmlWriter& out, const Report& report) {
  const std::vector<Models> all = groups(report);
  if (all.empty()) return;
  section(out, "recalls", "Recall of every class", [&] {
    out.paragraph("The share of each class's test records that get their class.", "note");
    for (const Models& models : all) write_group(out, models);
  });
}

}  // namespace dppl
