#include "statistics/pair_scores/person_weights.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dppl/error.h"
#include "kernels/cpu_testing.h"
#include "selection/class_scores.h"
#include "statistics/pair_scores/score_reference.h"
#include "support/random_rows.h"
#include "support/selection_laws.h"
#include "support/selection_rows.h"

namespace dppl {
namespace {

using testing::random_quantised;

TEST(PersonWeights, StepsFitTogetherInIntegers) {
  SeededRandom random(1);
  for (int i = 0; i < 3000; ++i) {
    const size_t classes = 1 + random.next64() % 30;
    const auto per_record = static_cast<int64_t>(1 + random.next64() % (i % 2 == 0 ? 40 : 1 << 23));
    std::vector<double> sizes;
    for (size_t c = 0; i % 3 == 0 && c < classes; ++c)
      sizes.push_back(1e-3 + static_cast<double>(random.next64() % 10000));
    for (const AddUp add_up : {AddUp::sum, AddUp::squares}) {
      const auto steps = PersonWeights::steps(classes, sizes, per_record, add_up);
      ASSERT_EQ(steps.size(), classes);
      int128 total = 0;
      for (const int64_t step : steps) {
        ASSERT_GE(step, 0);
        total += add_up == AddUp::sum ? step : static_cast<int128>(step) * step;
      }
      const int128 most = add_up == AddUp::sum ? per_record : static_cast<int128>(per_record) * per_record;
      ASSERT_LE(total, most);
      if (per_record > 1 << 16 && sizes.empty()) {
        ASSERT_GT(static_cast<double>(total), 0.99 * static_cast<double>(most));
      }
    }
  }
  // Smaller classes get more.
  const auto steps = PersonWeights::steps(2, std::vector<double>{10, 30}, 4000, AddUp::sum);
  EXPECT_EQ(steps, (std::vector<int64_t>{3000, 1000}));
}

struct Person {
  std::vector<int64_t> labels;
};

// Labels of some people, sorted, as PrivateData has them.
PrivateData data_of(const std::vector<Person>& people, size_t classes) {
  std::vector<int64_t> labels, ids;
  for (size_t p = 0; p < people.size(); ++p) {
    for (const int64_t label : people[p].labels) {
      labels.push_back(label);
      ids.push_back(static_cast<int64_t>(p));
    }
  }
  // Row i is row i of the quantised rows below: they are made of the same seed.
  std::vector<float> values(labels.size() * 3);
  SeededRandom random(9);
  for (float& value : values) value = static_cast<float>(static_cast<int64_t>(random.next64() % 201) - 100) + 0.5f;
  return PrivateData::from_memory(std::move(values), 3, std::move(labels), ClassSet::numbered(classes))
      .with_people(ids);
}

TEST(PersonWeights, AreBoundToPeopleAndLabels) {
  const ScoreRange range = ScoreRange::of(0, 2);
  const PrivateData data = data_of({{{0, 1}}, {{1}}}, 2), relabelled = data_of({{{0, 0}}, {{1}}}, 2),
                    others = data_of({{{0}}, {{1, 1}}}, 2);
  const PersonWeights weights(PrivateAccess(data), 2, range, AddUp::sum, {});
  EXPECT_EQ(weights.of(PrivateAccess(data)).size(), 3u);
  EXPECT_THROW(weights.of(PrivateAccess(relabelled)), Error);
  EXPECT_THROW(weights.of(PrivateAccess(others)), Error);
}

// What is not a number would become a weight of any size.
TEST(PersonWeights, RefuseSizesThatAreNoSizes) {
  const PrivateData data = data_of({{{0, 1}}, {{1}}}, 2);
  const std::vector<std::vector<double>> bad{{1}, {1, 0}, {1, -2}, {1, NAN}, {INFINITY, 1}};
  for (const std::vector<double>& sizes : bad) {
    EXPECT_THROW(PersonWeights(PrivateAccess(data), 2, ScoreRange::of(0, 2), AddUp::sum, sizes), Error);
  }
}

TEST(PersonWeights, OneToTenRecordsShareExactly) {
  for (size_t records = 1; records <= 10; ++records) {
    const PrivateData data = data_of({{std::vector<int64_t>(records, 0)}}, 1);
    const PersonWeights weights(PrivateAccess(data), 1, ScoreRange::of(0, 2), AddUp::sum, {});
    for (const int64_t weight : weights.of(PrivateAccess(data))) {
      EXPECT_EQ(weight * static_cast<int64_t>(records), PersonWeights::kDenominator);
    }
  }
}

// Scores of weighted records by the plainest code, on every kernel; and the bounds hold.
TEST(PersonWeights, WeightedScoresAreTheReferencesIntegersAndWithinTheirBounds) {
  const size_t dim = 37, count = 211, candidates = 90;
  WeightedRows records(random_quantised(count, dim, 5), {}, PersonWeights::kDenominator);
  const QuantisedRows pool = random_quantised(candidates, dim, 6);
  SeededRandom random(7);
  for (size_t i = 0; i < count; ++i) {
    records.weights.push_back(PersonWeights::kDenominator / static_cast<int64_t>(1 + random.next64() % 6));
  }
  records.weights[3] = 0;
  std::vector<uint32_t> all(candidates);
  for (uint32_t j = 0; j < candidates; ++j) all[j] = j;
  for (const ScoreRange& range : {ScoreRange::of(0, 2), ScoreRange::of(Rational(9, 10), Rational(6, 5))}) {
    std::vector<int64_t> expected;
    for (size_t j = 0; j < candidates; ++j) {
      int128 sum = 0;
      for (size_t i = 0; i < count; ++i) {
        sum += static_cast<int128>(records.weight(i)) * score_reference(records.rows, i, pool, j, range);
      }
      expected.push_back(static_cast<int64_t>(sum / records.denominator >> range.shift()));
    }
    on_every_level([&](CpuLevel) {
      const ClassScores scores(records, summarise(records, true, 2), pool, range, 2);
      std::vector<int64_t> computed(candidates), upper(candidates);
      scores.evaluate(all, computed);
      EXPECT_EQ(computed, expected);
      const std::vector<WordColumn> columns{WordColumn::of(scores.summary().shared_sum(), longest_row(pool))};
      std::vector<int32_t> dots(candidates);
      ColumnPanels(columns).multiply(pool, 0, candidates, std::vector<int32_t*>{dots.data()});
      scores.bound(columns[0], dots, upper);
      for (size_t j = 0; j < candidates; ++j) EXPECT_GE(upper[j], expected[j]);
      if (!scores.can_tighten()) return;
      scores.tighten(all, upper);
      for (size_t j = 0; j < candidates; ++j) EXPECT_GE(upper[j], expected[j]);
    });
  }
}

// ---- The exact privacy ratio over all person neighbours of small data sets

using Scores = std::vector<testing::Scores>;  // of each class

constexpr size_t kClasses = 3, kCandidates = 4;
// Scores of 0 or 12: so narrow a range that every law can be enumerated.
const ScoreRange kNarrow{0, 12};

Scores scores_of(const PrivateData& data, AddUp add_up) {
  const PrivateAccess access(data);
  const QuantisedRows pool = random_quantised(kCandidates, 3, 11);
  const PersonWeights weights(access, kClasses, kNarrow, add_up, {});
  Scores result(kClasses, testing::Scores(kCandidates));
  std::vector<float> scratch(3);
  QuantisedRows rows(access.size(), 3);
  for (size_t i = 0; i < access.size(); ++i) rows.set(i, access.row_view(i, scratch));
  for (size_t c = 0; c < kClasses; ++c) {
    for (size_t j = 0; j < kCandidates; ++j) {
      int128 sum = 0;
      for (size_t i = 0; i < access.size(); ++i) {
        if (static_cast<size_t>(access.labels()[i]) != c) continue;
        sum += static_cast<int128>(weights.of(access)[i]) * score_reference(rows, i, pool, j, kNarrow);
      }
      result[c][j] = kNarrow.total(sum, PersonWeights::kDenominator);
    }
  }
  return result;
}

std::vector<Person> any_people(Random& random) {
  std::vector<Person> people(1 + random.next64() % 4);
  for (Person& person : people) {
    for (size_t i = 0; i <= random.next64() % 6; ++i) {
      person.labels.push_back(static_cast<int64_t>(random.next64() % kClasses));
    }
  }
  return people;
}

// Calls with the scores of a data set and of the same without one of its people: what others add is not moved by that.
void each_neighbour(AddUp add_up, const std::function<void(const Scores& with, const Scores& without)>& call) {
  SeededRandom random(21);
  for (int i = 0; i < 300; ++i) {
    const std::vector<Person> people = any_people(random);
    const Scores with = scores_of(data_of(people, kClasses), add_up);
    // The last person: then the rows of the others are the same in both data sets.
    const std::vector<Person> fewer(people.begin(), people.end() - 1);
    call(with, scores_of(data_of(fewer, kClasses), add_up));
  }
}

// Of the choices of all classes together, which are independent: the largest and smallest log-ratios add up.
double worst_ratio(const testing::Law& law, const Scores& a, const Scores& b, double epsilon) {
  double up = 0, down = 0;
  for (size_t c = 0; c < kClasses; ++c) {
    const auto p = law(a[c], epsilon, kNarrow.per_record()), q = law(b[c], epsilon, kNarrow.per_record());
    double most = -INFINITY, least = INFINITY;
    for (size_t j = 0; j < p.size(); ++j) {
      most = std::max(most, std::log(p[j] / q[j]));
      least = std::min(least, std::log(p[j] / q[j]));
    }
    up += most;
    down += least;
  }
  return std::max(up, -down);
}

TEST(PersonWeights, EveryMechanismIsPureForAllRecordsOfAPerson) {
  const std::pair<const char*, testing::Law> laws[] = {{"exponential", testing::exponential_law},
                                                       {"permute-and-flip", testing::permute_and_flip_law},
                                                       {"laplace", testing::laplace_max_law},
                                                       {"joint top-k", testing::joint_top_k_law(2)}};
  for (const auto& [name, law] : laws) {
    for (const double epsilon : {0.1, 1.0, 2.0}) {
      double worst = 0, by_squares = 0;
      each_neighbour(AddUp::sum, [&, &law = law](const Scores& with, const Scores& without) {
        worst = std::max(worst, worst_ratio(law, with, without, epsilon));
      });
      each_neighbour(AddUp::squares, [&, &law = law](const Scores& with, const Scores& without) {
        by_squares = std::max(by_squares, worst_ratio(law, with, without, epsilon));
      });
      EXPECT_LE(worst, epsilon * (1 + 1e-9)) << name;
      EXPECT_GT(worst, 0.7 * epsilon) << name;
      // Weights for zCDP would not do: these data sets show it where the loss comes near to the worst there is.
      EXPECT_GT(by_squares, 1.2 * worst) << name;
      if (std::string_view(name) == "exponential" && epsilon <= 1) {
        EXPECT_GT(by_squares, epsilon);
      }
    }
  }
}

TEST(PersonWeights, TheExponentialMechanismIsZcdpForAllRecordsOfAPerson) {
  for (const double epsilon : {0.3, 1.0, 2.0}) {
    for (const double alpha : {1.5, 2.0, 8.0}) {
      each_neighbour(AddUp::squares, [&](const Scores& with, const Scores& without) {
        for (const bool swap : {false, true}) {
          const Scores &a = swap ? without : with, &b = swap ? with : without;
          double divergence = 0;
          for (size_t c = 0; c < kClasses; ++c) {
            const auto p = testing::exponential_law(a[c], epsilon, kNarrow.per_record()),
                       q = testing::exponential_law(b[c], epsilon, kNarrow.per_record());
            double sum = 0;
            for (size_t j = 0; j < p.size(); ++j) sum += std::pow(p[j], alpha) * std::pow(q[j], 1 - alpha);
            divergence += std::log(sum) / (alpha - 1);
          }
          ASSERT_LE(divergence, alpha * epsilon * epsilon / 8 * (1 + 1e-9));
        }
      });
    }
  }
}

}  // namespace
}  // namespace dppl
