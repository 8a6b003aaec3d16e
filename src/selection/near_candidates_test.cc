#include "selection/near_candidates.h"

#include <gtest/gtest.h>

#include <numeric>

#include "kernels/cpu_testing.h"
#include "mechanisms/exponential/lazy_exponential.h"
#include "random/constants.h"
#include "selection/select.h"
#include "support/selection_rows.h"

namespace dppl {
namespace {

using testing::kScoreRanges;
using testing::mixed_pool;
using testing::rows_around;

constexpr size_t kDim = 24;
const ScoreRange kWhole = kScoreRanges[0];

std::vector<Budget> budget(const Rational& epsilon) {
  return Budget::parallel(Budget::unledgered(BudgetSpec::pure(epsilon)), 1);
}

struct OneClass {
  OneClass(const QuantisedRows& members, const ShardedRows& pool)
      : scores(QuantisedRows(0, kDim), summarise(members, false, 1), pool, kWhole, 1, longest_row(pool)),
        column(WordColumn::of(scores.summary().shared_sum(), longest_row(pool))),
        upper(pool.rows()) {
    std::vector<uint32_t> all(pool.rows());
    std::iota(all.begin(), all.end(), uint32_t{0});
    scores.bound(column, all, upper);
  }

  ClassScores scores;
  WordColumn column;
  std::vector<int64_t> upper;  // of all
};

// Pools that an adversary may choose: in rising order of their scores, of one row only, with rows of zeros.
QuantisedRows crafted(const std::string& kind) {
  const QuantisedRows pool = mixed_pool(3000, kDim, 1);
  std::vector<uint32_t> order(pool.rows());
  std::iota(order.begin(), order.end(), uint32_t{0});
  if (kind == "rising" || kind == "falling") {
    const OneClass one(rows_around(300, kDim, 1, 0.5f, 3), pool);
    std::ranges::sort(order, {}, [&](uint32_t i) { return one.upper[i]; });
    if (kind == "falling") std::ranges::reverse(order);
  }
  if (kind == "one row") std::ranges::fill(order, 7);
  if (kind == "short") order.resize(40);
  QuantisedRows result = pool.gather(order);
  if (kind == "zeros") {
    for (size_t i = 0; i < 2950; ++i) result.set(i, std::vector<float>(kDim));
  }
  return result;
}

const char* const kKinds[] = {"mixed", "rising", "falling", "one row", "short", "zeros"};

TEST(NearCandidates, WhatIsLeftOutIsNegligible) {
  size_t found = 0;  // cases, on any instruction set
  for (const char* kind : kKinds) {
    const ShardedRows pool = crafted(kind);
    for (const size_t records : {0u, 1u, 40u, 300u, 3000u}) {
      const OneClass one(rows_around(records, kDim, 1, 0.5f, 3), pool);
      const Rational unit = exponential_unit(budget(8).front(), kWhole.per_record());
      const NearTask tasks[] = {{one.scores, one.column, unit}};
      found += find_near(tasks, pool, 1).front() ? 1 : 0;
      on_every_level([&](CpuLevel) {
        for (const unsigned threads : {1u, 3u}) {
          const auto near = find_near(tasks, pool, threads).front();
          if (!near) continue;
          EXPECT_LE(near->indices.size(), pool.rows() / 8);
          EXPECT_TRUE(std::ranges::is_sorted(near->indices));
          std::vector<uint8_t> listed(pool.rows());
          for (size_t j = 0; j < near->indices.size(); ++j) {
            listed[near->indices[j]] = 1;
            EXPECT_EQ(near->upper[j], one.upper[near->indices[j]]);
          }
          const auto gap = static_cast<int64_t>(*ExpWeights(unit).negligible_gap());
          const uint32_t best = static_cast<uint32_t>(std::ranges::max_element(one.upper) - one.upper.begin());
          int64_t score = 0;
          one.scores.evaluate({&best, 1}, {&score, 1});
          EXPECT_LE(near->rest, score - gap);
          size_t above = 0;
          for (size_t i = 0; i < pool.rows(); ++i) {
            if (!listed[i]) {
              EXPECT_LE(one.upper[i], near->rest) << kind << " " << i;
            }
            above += listed[i] && one.upper[i] > near->rest ? 1 : 0;
          }
          EXPECT_GT(above, kFirstLargest);
        }
      });
    }
  }
  EXPECT_GE(found, 5u) << "nearly nothing was found";
}

// The choice, and what is left of the randomness, of bounds for all candidates.
TEST(NearCandidates, NeverChangeAChoice) {
  for (const char* kind : kKinds) {
    const ShardedRows pool = crafted(kind);
    for (const size_t records : {1u, 300u, 3000u}) {
      const QuantisedRows members = rows_around(records, kDim, 1, 0.5f, 3);
      const SelectionTask task{
          .classes = 1, .records = [&](size_t, unsigned) { return members; }, .range = kWhole, .threads = 2};
      for (uint64_t seed = 0; seed < 40; ++seed) {
        const Rational epsilon(static_cast<long>(1 + seed % 5), 2);
        SeededRandom random(seed);
        const size_t chosen = select_rows(task, pool, budget(epsilon), random).at(0).value.at(0);
        OneClass one(members, pool);
        Random stream = SeededRandom(seed).stream(0);
        BoundedUtilities all{
            one.upper,
            [&](std::span<const uint32_t> candidates, std::span<int64_t> out) { one.scores.evaluate(candidates, out); },
            kWhole.per_record()};
        EXPECT_EQ(chosen, lazy_exponential(std::move(budget(epsilon).front()), stream, all).value)
            << kind << " " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace dppl
