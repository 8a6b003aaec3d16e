#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dppl/embeddings.h"

// Tools for experiments on data that the experimenter may see: nothing here is private.
namespace dppl {

// Records of each class of the set. Throws InvalidInput for a label outside it.
std::vector<uint64_t> count_labels(std::span<const int64_t> labels, const ClassSet& classes);

// Exponentially long-tailed class sizes (Cui et al. 2019; Cao et al. 2019), by rank: n(r) =
// round(largest·ratio^(−r/(C−1))), halves up. The first class keeps `largest` records, the last one largest/ratio.
// ratio ≥ 1; one class keeps everything.
std::vector<uint64_t> long_tail_counts(uint64_t largest, size_t classes, double ratio);

// Row numbers, ascending, of a long-tailed subset. The largest class keeps as many records as the smallest class of the
// whole set has; which class gets which rank, and which of its rows it keeps, follows from the seed alone. Throws
// InvalidInput if a class has no record.
std::vector<uint64_t> long_tail_rows(std::span<const int64_t> labels, const ClassSet& classes, double ratio,
                                     uint64_t seed);

// The median of an even number of classes is the mean of the middle two, halves up.
struct CountSummary {
  uint64_t total = 0, min = 0, median = 0, max = 0;
};
CountSummary summarise(std::vector<uint64_t> counts);

}  // namespace dppl
