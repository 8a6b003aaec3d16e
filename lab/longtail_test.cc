#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "dppl/error.h"
#include "dppl/experiments.h"
#include "support/expect_error.h"
#include "support/expect_private_error.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::expect_private_error;

std::vector<int64_t> balanced_labels(size_t classes, size_t each) {
  std::vector<int64_t> labels;
  for (size_t i = 0; i < classes * each; ++i) labels.push_back(static_cast<int64_t>(i % classes));
  return labels;
}

std::vector<uint64_t> counts_of(const std::vector<uint64_t>& rows, const std::vector<int64_t>& labels,
                                const ClassSet& classes) {
  std::vector<int64_t> kept;
  for (const uint64_t row : rows) kept.push_back(labels[row]);
  return count_labels(kept, classes);
}

// The paper's table of medians and minima. One rule gives every cell: sizes are rounded to nearest first, the median of
// an even number of classes is the mean of the middle two sizes, and halves go up in both. These cells rule out the
// others:
// - sizes cut off instead of rounded: CIFAR10 at 50 and 100, FOOD101 at 100 (7 for 8), STL10 at 10, 50 and 100;
// - sizes rounded up: CIFAR10, CIFAR100 and FOOD101 at 10;
// - the median taken before sizes are rounded: CIFAR10 at 100, STL10 at 10 and 50;
// - halves down: FOOD101 at 100 (7.5) in a size; CIFAR10 at 100, CIFAR100 at 50, STL10 at 10 and 50 in a median;
// - halves to even: the same medians (516.5, 70.5, 72.5) except STL10's 159.5 at 10.
TEST(LongTail, ReproducesThePapersTable) {
  struct Row {
    const char* name;
    size_t classes;
    uint64_t each;
    struct {
      double ratio;
      uint64_t median, min;
    } cells[4];
  };
  const Row table[] = {{"CIFAR10", 10, 5000, {{1, 5000, 5000}, {10, 1594, 500}, {50, 724, 100}, {100, 517, 50}}},
                       {"CIFAR100", 100, 500, {{1, 500, 500}, {10, 158, 50}, {50, 71, 10}, {100, 50, 5}}},
                       {"FOOD101", 101, 750, {{1, 750, 750}, {10, 237, 75}, {50, 106, 15}, {100, 75, 8}}},
                       {"STL10", 10, 500, {{1, 500, 500}, {10, 160, 50}, {50, 73, 10}, {100, 52, 5}}}};
  for (const Row& row : table) {
    const ClassSet classes = ClassSet::numbered(row.classes);
    const std::vector<int64_t> labels = balanced_labels(row.classes, row.each);
    for (const auto& cell : row.cells) {
      const CountSummary summary =
          summarise(counts_of(long_tail_rows(labels, classes, cell.ratio, 1), labels, classes));
      EXPECT_EQ(summary.median, cell.median) << row.name << " at " << cell.ratio;
      EXPECT_EQ(summary.min, cell.min) << row.name << " at " << cell.ratio;
      EXPECT_EQ(summary.max, row.each) << row.name << " at " << cell.ratio;
    }
  }
}

TEST(LongTail, SizesFallFromLargestToLargestOverRatio) {
  for (const double ratio : {1.0, 1.5, 7.0, 100.0, 12345.0}) {
    for (const size_t classes : {2u, 3u, 17u, 1000u}) {
      const std::vector<uint64_t> counts = long_tail_counts(4000, classes, ratio);
      ASSERT_EQ(counts.size(), classes);
      EXPECT_EQ(counts.front(), 4000u);
      EXPECT_EQ(counts.back(), static_cast<uint64_t>(std::floor(4000 / ratio + 0.5)));
      EXPECT_TRUE(std::is_sorted(counts.rbegin(), counts.rend()));
    }
  }
  EXPECT_EQ(long_tail_counts(4000, 1, 100), std::vector<uint64_t>{4000});
}

TEST(LongTail, RowsAreDistinctAscendingAndSetByTheSeed) {
  const ClassSet classes = ClassSet::numbered(7);
  std::vector<int64_t> labels = balanced_labels(7, 60);
  labels.insert(labels.end(), 100, 3);  // one class is larger than the others: it gives no more than they can
  std::set<std::vector<uint64_t>> different;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<uint64_t> rows = long_tail_rows(labels, classes, 30, seed);
    EXPECT_EQ(rows, long_tail_rows(labels, classes, 30, seed));
    EXPECT_TRUE(std::adjacent_find(rows.begin(), rows.end(), std::greater_equal<>()) == rows.end());
    ASSERT_LT(rows.back(), labels.size());
    std::vector<uint64_t> counts = counts_of(rows, labels, classes);
    std::sort(counts.rbegin(), counts.rend());
    EXPECT_EQ(counts, long_tail_counts(60, 7, 30));
    different.insert(rows);
  }
  EXPECT_EQ(different.size(), 20u);
}

// Every class is equally often the largest, and every row equally often kept. 2,000 seeds, 4 classes × 8 rows; each of
// the 36 frequencies lies within 5 standard deviations: false alarm below 36·6e-7 = 3e-5 (seeds are fixed, so it is
// decided).
TEST(LongTail, FavoursNoClassAndNoRow) {
  constexpr int kSeeds = 2000;
  const ClassSet classes = ClassSet::numbered(4);
  const std::vector<int64_t> labels = balanced_labels(4, 8);
  std::vector<double> largest(4), kept(32);
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const std::vector<uint64_t> rows = long_tail_rows(labels, classes, 8, seed);
    const std::vector<uint64_t> counts = counts_of(rows, labels, classes);
    ++largest[static_cast<size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin())];
    for (const uint64_t row : rows) ++kept[row];
  }
  const auto expect_share = [](const std::vector<double>& observed, double share) {
    const double deviation = std::sqrt(kSeeds * share * (1 - share));
    for (const double count : observed) EXPECT_NEAR(count, kSeeds * share, 5 * deviation);
  };
  expect_share(largest, 0.25);
  expect_share(kept, (8 + 4 + 2 + 1) / 32.0);
}

TEST(LongTail, RefusesWhatCannotBe) {
  const ClassSet three = ClassSet::numbered(3);
  const std::vector<int64_t> labels = {0, 1, 1, 0};
  expect_private_error([&] { long_tail_rows(labels, three, 2, 0); }, {"a class has no record"}, {"class 2"});
  expect_private_error([&] { long_tail_rows({}, three, 2, 0); }, {"a class has no record"}, {"class 0"});
  expect_private_error([&] { long_tail_rows(labels, ClassSet::numbered(1), 2, 0); }, {"0…0"}, {"row 1 has label 1"});
  for (const double ratio : {0.99, 0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
    expect_error<InvalidInput>([&] { long_tail_rows(labels, ClassSet::numbered(2), ratio, 0); }, {"ratio"});
  }
}

TEST(CountSummary, MedianOfEvenAndOdd) {
  EXPECT_EQ(summarise({5, 1, 2}).median, 2u);
  EXPECT_EQ(summarise({4, 1, 2, 9}).median, 3u);
  EXPECT_EQ(summarise({4, 1, 3, 9}).median, 4u);
  EXPECT_EQ(summarise({4, 1, 3, 9}).total, 17u);
  EXPECT_EQ(summarise({}).max, 0u);
}

}  // namespace
}  // namespace dppl
