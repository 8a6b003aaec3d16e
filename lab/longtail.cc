#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dppl/experiments.h"
#include "dppl/invalid_record.h"
#include "dppl/random.h"
#include "random/uniform.h"
#include "rows/labels.h"

namespace dppl {
namespace {

// Makes the first `count` items a uniform random sample, in random order.
template <typename T>
void shuffle_front(std::vector<T>& items, size_t count, Random& random) {
  for (size_t i = 0; i < count; ++i) {
    std::swap(items[i], items[i + uniform_below(random, items.size() - i)]);
  }
}

std::vector<size_t> shuffled_ranks(size_t classes, Random& random) {
  std::vector<size_t> ranks(classes);
  std::iota(ranks.begin(), ranks.end(), size_t{0});
  shuffle_front(ranks, classes, random);
  return ranks;
}

std::vector<std::vector<uint64_t>> rows_by_class(std::span<const int64_t> labels, const ClassSet& classes) {
  std::vector<std::vector<uint64_t>> rows(classes.size());
  for (size_t i = 0; i < labels.size(); ++i) rows[static_cast<size_t>(labels[i])].push_back(i);
  return rows;
}

}  // namespace

std::vector<uint64_t> count_labels(std::span<const int64_t> labels, const ClassSet& classes) {
  check_labels(labels, classes, "labels");
  std::vector<uint64_t> counts(classes.size());
  for (const int64_t label : labels) ++counts[static_cast<size_t>(label)];
  return counts;
}

std::vector<uint64_t> long_tail_counts(uint64_t largest, size_t classes, double ratio) {
  if (!(ratio >= 1) || !std::isfinite(ratio)) {
    throw InvalidInput(
        fmt::format("long-tail ratio: {} is not at least 1; it is the largest class over the smallest", ratio));
  }
  std::vector<uint64_t> counts(classes);
  const double last_rank = std::max<double>(1, static_cast<double>(classes) - 1);
  for (size_t rank = 0; rank < classes; ++rank) {
    // Dividing by the power, and not multiplying by its inverse, keeps halves such as 750/100 exact.
    const double count = static_cast<double>(largest) / std::pow(ratio, static_cast<double>(rank) / last_rank);
    counts[rank] = static_cast<uint64_t>(std::floor(count + 0.5));
  }
  return counts;
}

std::vector<uint64_t> long_tail_rows(std::span<const int64_t> labels, const ClassSet& classes, double ratio,
                                     uint64_t seed) {
  const std::vector<uint64_t> available = count_labels(labels, classes);
  const auto smallest = std::min_element(available.begin(), available.end());
  if (*smallest == 0) {
    throw InvalidRecord(
        "labels: a class has no record, so no long tail can be made; declare fewer classes",
        fmt::format("class {} has none", classes.name(static_cast<size_t>(smallest - available.begin()))));
  }
  const std::vector<uint64_t> counts = long_tail_counts(*smallest, classes.size(), ratio);

  const SeededRandom random(seed);
  Random rank_source = random.stream(0);
  const std::vector<size_t> ranks = shuffled_ranks(classes.size(), rank_source);
  std::vector<std::vector<uint64_t>> rows = rows_by_class(labels, classes);
  std::vector<uint64_t> kept;
  for (size_t c = 0; c < classes.size(); ++c) {
    const size_t count = counts[ranks[c]];
    Random row_source = random.stream(1 + c);
    shuffle_front(rows[c], count, row_source);
    kept.insert(kept.end(), rows[c].begin(), rows[c].begin() + static_cast<ptrdiff_t>(count));
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

CountSummary summarise(std::vector<uint64_t> counts) {
  if (counts.empty()) return {};
  std::sort(counts.begin(), counts.end());
  const uint64_t low = counts[(counts.size() - 1) / 2], high = counts[counts.size() / 2];
  return {.total = std::accumulate(counts.begin(), counts.end(), uint64_t{0}),
          .min = counts.front(),
          .median = low + (high - low + 1) / 2,
          .max = counts.back()};
}

}  // namespace dppl
