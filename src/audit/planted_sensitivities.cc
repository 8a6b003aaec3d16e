#include <algorithm>
#include <cmath>

#include "audit/measures.h"
#include "rows/integer_row.h"
#include "statistics/clip_person.h"

// Sums over records whose rows are longer than somebody believes.
namespace dppl {
namespace {

// Σ over the records, per class, of what a row becomes.
template <typename Row>
BoundedSum sum_of(const Records& records, size_t dim, double believed, Row row_of) {
  BoundedSum sum{std::vector<int64_t>(records.classes * dim), NormBound::added(static_cast<int64_t>(believed))};
  std::vector<float> scratch(records.access.embeddings().dim());
  for (size_t i = 0; i < records.size(); ++i) {
    const std::vector<double> row = row_of(records.access.row_view(i, scratch));
    const auto label = static_cast<size_t>(records.labels()[i]);
    for (size_t k = 0; k < dim; ++k) {
      sum.values[label * dim + k] += static_cast<int64_t>(std::clamp(row[k], -0x1p50, 0x1p50));
    }
  }
  return sum;
}

constexpr auto kUnit = static_cast<double>(kRadius);

BoundedSum clipping_forgotten(const Records& records, Random&) {
  return sum_of(records, records.access.embeddings().dim(), kUnit, [](std::span<const float> row) {
    std::vector<double> result(row.begin(), row.end());
    for (double& value : result) value *= kUnit;
    return result;
  });
}

// Rows are clipped to length 1 and transformed afterwards: the bound is that of rows that no longer exist.
BoundedSum transformed_after_clipping(const Records& records, Random&) {
  const size_t dim = records.dim();
  return sum_of(records, dim, kUnit, [&](std::span<const float> row) {
    std::vector<float> out(dim);
    records.transform.apply(row, out);  // scales to length 1 first
    std::vector<double> result(out.begin(), out.end());
    for (double& value : result) value *= kUnit;
    return result;
  });
}

// The first coordinate, clipped to [−1, 5], with a sensitivity of max(|lower|, |lower|).
constexpr double kLower = -1, kUpper = 5;
BoundedSum bounded_values(const Records& records, Random&) {
  return sum_of(records, 1, kUnit * std::max(std::abs(kLower), std::abs(kLower)), [](std::span<const float> row) {
    return std::vector<double>{kUnit * std::clamp(static_cast<double>(row[0]), kLower, kUpper)};
  });
}

// A basis of numbers that carry a row beyond float, and a conversion that takes what comes: infinity times a scale of 0
// is not a number, and a processor makes the smallest integer of it.
BoundedSum infinite_rows(const Records& records, Random&) {
  return sum_of(records, 1, kUnit, [](std::span<const float> row) {
    double squares = 0;
    for (const float value : row) squares += static_cast<double>(value) * static_cast<double>(value);
    float product = 0;
    for (const float value : row) product += static_cast<float>(value / std::sqrt(squares)) * 3e38f;
    const double scaled = static_cast<double>(product) * (kUnit / std::abs(static_cast<double>(product)));
    return std::vector<double>{std::isnan(scaled) ? -0x1p31 : scaled};
  });
}

// ---- Mistakes about people

// What a person has in each class is clipped by itself.
BoundedSum clipped_per_class(const Records& records, Random&) {
  const size_t dim = records.dim();
  BoundedSum sum{std::vector<int64_t>(records.classes * dim), NormBound::added(kRadius, Relation::add_remove_person)};
  const People& people = *records.access.people();
  std::vector<float> scratch(records.access.embeddings().dim());
  for (size_t p = 0; p < people.size(); ++p) {
    each_class_of(records.labels(), people.begin(p), people.end(p), [&](int64_t label, size_t begin, size_t end) {
      std::vector<int64_t> part(dim);
      std::vector<float> row(dim);
      for (size_t i = begin; i < end; ++i) {
        records.transform.apply(records.access.row_view(i, scratch), row);
        add_integer_row(row, 0, part);
      }
      clip_person(part, kRadius);
      for (size_t k = 0; k < dim; ++k) sum.values[static_cast<size_t>(label) * dim + k] += part[k];
    });
  }
  return sum;
}

// Every record counts, whoever it is of.
BoundedSum counted_as_several(const Records& records, Random&) {
  BoundedSum counts{std::vector<int64_t>(records.classes), NormBound::added(1, Relation::add_remove_person)};
  for (const int64_t label : records.labels()) ++counts.values[static_cast<size_t>(label)];
  return counts;
}

// The weights of before all records were given their classes: as if a person were in one class only.
std::vector<int64_t> weights_of_other_labels(const PrivateAccess& access, size_t, ScoreRange) {
  std::vector<int64_t> weights;
  const People& people = *access.people();
  for (size_t p = 0; p < people.size(); ++p) {
    each_class_of(access.labels(), people.begin(p), people.end(p), [&](int64_t, size_t begin, size_t end) {
      weights.insert(weights.end(), end - begin, PersonWeights::kDenominator / static_cast<int64_t>(end - begin));
    });
  }
  return weights;
}

}  // namespace

std::vector<AuditResult> planted_sensitivities(uint64_t cases, unsigned threads) {
  const std::vector<Statistic> mistakes{{"clipping forgotten", clipping_forgotten},
                                        {"rows transformed after clipping", transformed_after_clipping},
                                        {"sensitivity from the lower bound twice", bounded_values},
                                        {"an infinite row taken for integers", infinite_rows}};
  std::vector<Measure> of_records;
  for (const Statistic& mistake : mistakes) of_records.push_back(measure_of(mistake));
  const std::vector<Measure> of_people{
      measure_of({"clip per class instead of over the stack", clipped_per_class}),
      measure_of({"one person's records counted as several", counted_as_several}),
      measure_of_scores("1/√k of a person's weight under pure DP", AddUp::sum, person_weights(AddUp::squares)),
      measure_of_scores("weights computed before re-labelling", AddUp::sum, weights_of_other_labels)};
  std::vector<AuditResult> results = largest_moves(of_records, false, true, cases, threads);
  for (AuditResult& row : largest_moves(of_people, true, true, cases, threads)) results.push_back(std::move(row));
  return results;
}

}  // namespace dppl
