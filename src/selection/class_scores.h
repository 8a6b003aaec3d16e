#pragma once

#include <optional>

#include "selection/class_columns.h"
#include "selection/class_summary.h"

namespace dppl {

// One class against the pool: bounds on all scores, and the exact scores of some candidates. A score is the sum over
// the class's records of their weight times what statistics/pair_scores/pair_scores.h says.
class ClassScores {
 public:
  // The summary is that of the records; bound() needs one with its variance. `longest`: longest_row() of the pool, or
  // of a larger one that it is a part of, whose bounds are then the same.
  ClassScores(const WeightedRows& records, ClassSummary summary, ShardedRows pool, ScoreRange range, unsigned threads,
              double longest);
  ClassScores(const WeightedRows& records, ClassSummary summary, const ShardedRows& pool, ScoreRange range,
              unsigned threads)
      : ClassScores(records, std::move(summary), pool, range, threads, longest_row(pool)) {}

  const ClassSummary& summary() const { return summary_; }

  void evaluate(std::span<const uint32_t> candidates, std::span<int64_t> scores) const;

  // Whether tighten() can be worth its price.
  static bool can_tighten(const ClassSummary& summary, ScoreRange range);
  bool can_tighten() const { return can_tighten(summary_, range_); }
  // Upper bounds on the scores of some candidates: sums of the bounds of clusters of the records, each with a mean and
  // a variance of its own.
  void tighten(std::span<const uint32_t> candidates, std::span<int64_t> upper) const;

  // Upper bounds on the scores of the candidates from `begin` on, from their dot products with the class's column.
  void bound(const WordColumn& column, std::span<const int32_t> dots, std::span<int64_t> upper, size_t begin = 0) const;
  // The same for some candidates.
  void bound(const WordColumn& column, std::span<const uint32_t> candidates, std::span<int64_t> upper) const;
  ScoreBound score_bound(const WordColumn& column) const { return {summary_, range_, column.error}; }

 private:
  void whole_scores(const QuantisedRows& rows, std::span<int64_t> scores) const;

  WeightedRows records_;
  ShardedRows pool_;
  ScoreRange range_;
  unsigned threads_;
  double longest_;
  ClassSummary summary_;
  // Where nothing is clipped: the class's sum in digits of so many bits, whose products with a row fit 32.
  int bits_ = 0;
  size_t digits_ = 0;
  std::optional<ColumnPanels> sum_;
  RecordPanels panels_;
};

}  // namespace dppl
