#include "audit/sensitivity.h"

#include "audit/measures.h"
#include "random/simulation.h"
#include "rows/small_rows.h"
#include "statistics/class_counts/class_counts.h"
#include "statistics/class_sums/class_sums.h"
#include "statistics/gradient_sum/gradient_sum.h"
#include "statistics/second_moment/second_moment.h"
#include "statistics/weighted_total/weighted_total.h"

namespace dppl {
namespace {

SmallRows small_rows(const Records& records) {
  SmallRows rows(records.size(), records.dim());
  class_sums(records, rows);
  return rows;
}

BoundedSum gradient_anywhere(const Records& records, Random& random) {
  std::vector<double> weights(records.classes * records.dim()), offsets(records.classes);
  for (double& value : weights) value = 15 * normal(random);
  for (double& value : offsets) value = normal(random);
  const SmallRows rows = small_rows(records);
  return GradientSums(rows, records.access, 1).at({weights, offsets});
}

const std::vector<Statistic>& honest_statistics() {
  static const std::vector<Statistic> statistics{
      {"class sums", [](const Records& records, Random&) { return class_sums(records); }},
      {"class sizes", [](const Records& records, Random&) { return class_counts(records.access, records.classes); }},
      {"weighted total",
       [](const Records& records, Random& random) {
         std::vector<int64_t> weights(records.classes, kFullWeight);
         for (int64_t& weight : weights) weight = random.next64() % 2 == 0 ? weight : weight / 3;
         return weighted_total(records, weights, 1);
       }},
      {"second moment",
       [](const Records& records, Random&) { return second_moment(small_rows(records), records.access, 1); }},
      {"gradient sum", gradient_anywhere}};
  return statistics;
}

std::vector<Measure> honest_measures(bool people) {
  std::vector<Measure> measures;
  for (const Statistic& statistic : honest_statistics()) measures.push_back(measure_of(statistic));
  if (!people) {
    measures.push_back(measure_of_scores("selection scores", AddUp::sum));
    measures.push_back(measure_of_scores("selection scores, nothing clipped", AddUp::sum, {}, true));
    return measures;
  }
  measures.push_back(measure_of({"class sums, small classes first", [](const Records& records, Random&) {
                                   Records turned = records;
                                   turned.class_sizes = std::span(kReleasedSizes).first(records.classes);
                                   return class_sums(turned);
                                 }}));
  for (const bool whole : {false, true}) {
    const std::string end = whole ? ", nothing clipped" : "";
    measures.push_back(
        measure_of_scores("selection scores, pure" + end, AddUp::sum, person_weights(AddUp::sum), whole));
    measures.push_back(
        measure_of_scores("selection scores, zCDP" + end, AddUp::squares, person_weights(AddUp::squares), whole));
  }
  for (const auto& [budget, add_up] : {std::pair{"pure", AddUp::sum}, {"zCDP", AddUp::squares}}) {
    measures.push_back(measure_of_scores(std::string("selection scores, ") + budget + ", small classes first", add_up,
                                         person_weights(add_up, true)));
  }
  for (Measure& measure : measures) measure.name += ", people";
  return measures;
}

}  // namespace

std::optional<std::vector<Moved>> moved_by_one_more(const SensitivityCase& one) {
  return moved(honest_measures(!one.people.empty()), one);
}

std::vector<AuditResult> audit_sensitivity(uint64_t cases, unsigned threads) {
  std::vector<AuditResult> results = largest_moves(honest_measures(false), false, false, cases, threads);
  for (AuditResult& row : largest_moves(honest_measures(true), true, false, cases, threads)) {
    results.push_back(std::move(row));
  }
  return results;
}

}  // namespace dppl
