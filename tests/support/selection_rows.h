#pragma once

#include <vector>

#include "dppl/random.h"
#include "statistics/pair_scores/score_reference.h"

// Rows of classes and pools for tests of the selection, and their scores by brute force.
namespace dppl::testing {

// A normal number, nearly.
inline float nearly_normal(SeededRandom& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random.next64() >> 11) * 0x1p-53;
  return static_cast<float>(sum);
}

// Rows around a centre, `width` apart from it; a first direction that is wider than the others.
inline QuantisedRows rows_around(size_t rows, size_t dim, uint64_t centre, float width, uint64_t seed) {
  SeededRandom centre_random(centre), random(seed);
  std::vector<float> middle(dim), row(dim);
  for (float& value : middle) value = nearly_normal(centre_random);
  QuantisedRows result(rows, dim);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t k = 0; k < dim; ++k) row[k] = middle[k] + width * nearly_normal(random);
    row[0] += 3 * width * nearly_normal(random);
    result.set(i, row);
  }
  return result;
}

// Half near the class and half anywhere.
inline QuantisedRows mixed_pool(size_t rows, size_t dim, uint64_t centre) {
  SeededRandom centre_random(centre), random(99);
  std::vector<float> middle(dim), row(dim);
  for (float& value : middle) value = nearly_normal(centre_random);
  QuantisedRows result(rows, dim);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t k = 0; k < dim; ++k) row[k] = (i % 2 == 0 ? middle[k] : 0.0f) + nearly_normal(random);
    result.set(i, row);
  }
  return result;
}

inline std::vector<int64_t> exact_scores(const QuantisedRows& records, const QuantisedRows& pool, ScoreRange range) {
  std::vector<int64_t> scores(pool.rows());
  for (size_t j = 0; j < pool.rows(); ++j) {
    int128 sum = 0;
    for (size_t i = 0; i < records.rows(); ++i) sum += score_reference(records, i, pool, j, range);
    scores[j] = range.total(sum);
  }
  return scores;
}

inline const ScoreRange kScoreRanges[] = {ScoreRange::of(0, 2), ScoreRange::of(Rational(6, 5), Rational(8, 5)),
                                          ScoreRange::of(Rational(11, 10), Rational(13, 10)),
                                          ScoreRange::of(Rational(9, 10), Rational(91, 100)), ScoreRange::of(1, 2)};

}  // namespace dppl::testing
