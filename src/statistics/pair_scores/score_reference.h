#pragma once

#include "statistics/pair_scores/pair_scores.h"

namespace dppl {

// The score of one pair by the plainest possible code: what the kernels are tested against. For tests, fuzzers and the
// audit, which trusts nothing that it measures.
inline int64_t score_reference(const QuantisedRows& records, size_t record, const QuantisedRows& candidates,
                               size_t candidate, ScoreRange range) {
  int64_t dot = 0;
  for (size_t k = 0; k < records.dim(); ++k) dot += records.row(record)[k] * candidates.row(candidate)[k];
  const int64_t cosine = dot * records.factor(record) * candidates.factor(candidate);
  return std::clamp<int64_t>(cosine - range.low, 0, range.top());
}

}  // namespace dppl
