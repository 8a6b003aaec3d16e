#include "statistics/pair_scores/person_weights.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

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
  // Sizes of any magnitude.
  for (const AddUp add_up : {AddUp::sum, AddUp::squares}) {
    const auto steps = PersonWeights::steps(3, std::vector<double>{5e-324, 1, 1e308}, 1 << 23, add_up);
    EXPECT_EQ(steps, (std::vector<int64_t>{1 << 23, 0, 0}));
  }
  // Smaller classes get more.
  const auto steps = PersonWeights::steps(2, std::vector<double>{10, 30}, 4000, AddUp::sum);
  EXPECT_EQ(steps, (std::vector<int64_t>{3000, 1000}));
}

struct Record {
  int64_t label;
  std::array<float, 3> row = {1, 2, 3};
};
using Person = std::vector<Record>;

Person person_of(const std::vector<int64_t>& labels) {
  Person person;
  for (const int64_t label : labels) person.push_back({label});
  return person;
}

// The people in this order, as PrivateData has them.
PrivateData data_of(const std::vector<Person>& people, size_t classes) {
  std::vector<float> values;
  std::vector<int64_t> labels, ids;
  for (size_t p = 0; p < people.size(); ++p) {
    for (const Record& record : people[p]) {
      values.insert(values.end(), record.row.begin(), record.row.end());
      labels.push_back(record.label);
      ids.push_back(static_cast<int64_t>(p));
    }
  }
  return PrivateData::from_memory(std::move(values), 3, std::move(labels), ClassSet::numbered(classes))
      .with_people(ids);
}

TEST(PersonWeights, AreBoundToPeopleAndLabels) {
  const ScoreRange range = ScoreRange::of(0, 2);
  const PrivateData data = data_of({person_of({0, 1}), person_of({1})}, 2),
                    relabelled = data_of({person_of({0, 0}), person_of({1})}, 2),
                    others = data_of({person_of({0}), person_of({1, 1})}, 2);
  const PersonWeights weights(PrivateAccess(data), 2, range, AddUp::sum, {});
  EXPECT_EQ(weights.of(PrivateAccess(data)).size(), 3u);
  EXPECT_THROW(weights.of(PrivateAccess(relabelled)), Error);
  EXPECT_THROW(weights.of(PrivateAccess(others)), Error);
}

// What is not a number would become a weight of any size.
TEST(PersonWeights, RefuseSizesThatAreNoSizes) {
  const PrivateData data = data_of({person_of({0, 1}), person_of({1})}, 2);
  const std::vector<std::vector<double>> bad{{1}, {1, 0}, {1, -2}, {1, NAN}, {INFINITY, 1}};
  for (const std::vector<double>& sizes : bad) {
    EXPECT_THROW(PersonWeights(PrivateAccess(data), 2, ScoreRange::of(0, 2), AddUp::sum, sizes), Error);
  }
}

TEST(PersonWeights, OneToTenRecordsShareExactly) {
  for (size_t records = 1; records <= 10; ++records) {
    const PrivateData data = data_of({person_of(std::vector<int64_t>(records, 0))}, 1);
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

constexpr size_t kClasses = 3, kCandidates = 4;
// Scores of 0 or 12: so narrow a range that every law can be enumerated.
const ScoreRange kNarrow{0, 12};
// Released sizes of the classes.
constexpr double kSizes[] = {40, 3, 800};

using Scores = std::vector<testing::Scores>;  // of each class

// What is public in a case.
struct Public {
  AddUp add_up;
  std::span<const double> sizes;
  size_t examples;  // of class 0
};

// The scores by which a fit chooses.
Scores scores_of(const PrivateData& data, const Public& known, ScoreRange range, const QuantisedRows& pool) {
  const PrivateAccess access(data);
  const PersonWeights person_weights(access, kClasses, range, known.add_up, known.sizes);
  const std::span<const int64_t> weights = person_weights.of(access);
  std::vector<uint32_t> all(pool.rows());
  std::iota(all.begin(), all.end(), 0u);
  Scores result(kClasses, testing::Scores(pool.rows()));
  std::vector<float> scratch(3);
  for (size_t c = 0; c < kClasses; ++c) {
    std::vector<size_t> own;
    for (size_t i = 0; i < access.size(); ++i) {
      if (static_cast<size_t>(access.labels()[i]) == c) own.push_back(i);
    }
    WeightedRows records(QuantisedRows(own.size(), 3), {}, PersonWeights::kDenominator);
    for (size_t j = 0; j < own.size(); ++j) {
      records.rows.set(j, access.row_view(own[j], scratch));
      records.weights.push_back(weights[own[j]]);
    }
    if (c == 0 && known.examples > 0) records.add_public(random_quantised(1, 3, 77), known.examples);
    ClassScores(records, summarise(records, false, 1), pool, range, 1).evaluate(all, result[c]);
  }
  return result;
}

// Up to four people of up to six records; some of them in one class only, some with the same record again and again.
std::vector<Person> any_people(Random& random) {
  std::vector<Person> people(1 + random.next64() % 4);
  for (Person& person : people) {
    const bool repeats = random.next64() % 3 == 0;
    const size_t classes = 1 + random.next64() % kClasses, records = 1 + random.next64() % 6;
    for (size_t i = 0; i < records; ++i) {
      Record record{static_cast<int64_t>(random.next64() % classes)};
      for (float& value : record.row)
        value = static_cast<float>(static_cast<int64_t>(random.next64() % 201) - 100) + 0.5f;
      if (repeats && i > 0) record.row = person.front().row;
      person.push_back(record);
    }
  }
  return people;
}

struct Pair {
  Scores with, without;
};

// Of 300 data sets and of the same without one of their people, whoever it is.
std::vector<Pair> all_neighbours(AddUp add_up) {
  SeededRandom random(21);
  const QuantisedRows pool = random_quantised(kCandidates, 3, 11);
  std::vector<Pair> pairs;
  for (int i = 0; i < 300; ++i) {
    const std::vector<Person> people = any_people(random);
    const Public known{add_up, i % 3 == 0 ? std::span(kSizes) : std::span<const double>(), i % 2 == 0 ? 2u : 0u};
    const auto scores = [&](const std::vector<Person>& some) {
      return scores_of(data_of(some, kClasses), known, kNarrow, pool);
    };
    for (size_t p = 0; p < people.size(); ++p) {
      std::vector<Person> fewer = people;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(p));
      pairs.push_back({scores(people), scores(fewer)});
    }
  }
  return pairs;
}

struct Mechanism {
  const char* name;
  testing::Law law;
  double zcdp;  // times ε²
};

std::vector<Mechanism> mechanisms() {
  return {{"exponential", testing::exponential_law, 1.0 / 8},
          {"permute-and-flip", testing::permute_and_flip_law, 1.0 / 2},
          {"laplace", testing::laplace_max_law, 1.0 / 2},
          {"joint top-k", testing::joint_top_k_law(2), 1.0 / 8}};
}

// Of the choices of all classes together, which are independent: the largest and smallest log-ratios add up.
double worst_ratio(const testing::Law& law, const Pair& pair, double epsilon) {
  double up = 0, down = 0;
  for (size_t c = 0; c < kClasses; ++c) {
    const auto p = law(pair.with[c], epsilon, kNarrow.per_record()),
               q = law(pair.without[c], epsilon, kNarrow.per_record());
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
  const std::vector<Pair> pure = all_neighbours(AddUp::sum), squares = all_neighbours(AddUp::squares);
  for (const Mechanism& mechanism : mechanisms()) {
    for (const double epsilon : {0.1, 1.0, 2.0}) {
      double worst = 0, by_squares = 0;
      for (const Pair& pair : pure) worst = std::max(worst, worst_ratio(mechanism.law, pair, epsilon));
      for (const Pair& pair : squares) by_squares = std::max(by_squares, worst_ratio(mechanism.law, pair, epsilon));
      EXPECT_LE(worst, epsilon * (1 + 1e-9)) << mechanism.name;
      EXPECT_GT(worst, 0.7 * epsilon) << mechanism.name;
      // Weights for zCDP would not do: these data sets show it where the loss comes near to the worst there is.
      EXPECT_GT(by_squares, 1.1 * worst) << mechanism.name;
      if (std::string_view(mechanism.name) == "exponential" && epsilon <= 1) {
        EXPECT_GT(by_squares, epsilon);
      }
    }
  }
}

TEST(PersonWeights, EveryMechanismIsZcdpForAllRecordsOfAPerson) {
  const std::vector<Pair> pairs = all_neighbours(AddUp::squares);
  for (const Mechanism& mechanism : mechanisms()) {
    for (const double epsilon : {0.3, 1.0, 2.0}) {
      double most = 0;  // of what is allowed
      for (const double alpha : {1.5, 2.0, 8.0}) {
        for (const Pair& pair : pairs) {
          double there = 0, back = 0;
          for (size_t c = 0; c < kClasses; ++c) {
            const auto p = mechanism.law(pair.with[c], epsilon, kNarrow.per_record()),
                       q = mechanism.law(pair.without[c], epsilon, kNarrow.per_record());
            double forth = 0, again = 0;
            for (size_t j = 0; j < p.size(); ++j) {
              forth += std::pow(p[j], alpha) * std::pow(q[j], 1 - alpha);
              again += std::pow(q[j], alpha) * std::pow(p[j], 1 - alpha);
            }
            there += std::log(forth) / (alpha - 1);
            back += std::log(again) / (alpha - 1);
          }
          most = std::max(most, std::max(there, back) / (alpha * mechanism.zcdp * epsilon * epsilon));
        }
      }
      EXPECT_LE(most, 1 + 1e-9) << mechanism.name << " " << epsilon;
      EXPECT_GT(most, mechanism.zcdp < 0.5 ? 0.5 : 0.1) << mechanism.name << " " << epsilon;
    }
  }
}

// With as many records as one likes, all of them just where a candidate is, a person moves its score by what a record
// may, and in several classes by what they share.
TEST(PersonWeights, AHundredThousandRecordsCountAsOne) {
  QuantisedRows pool = random_quantised(kCandidates, 3, 11);
  const std::array<float, 3> row{0.25f, -0.5f, 0.75f};
  pool.set(0, row);
  const ScoreRange range = ScoreRange::of(0, 2);
  const auto most = static_cast<double>(range.per_record());
  const std::vector<Person> others{person_of({0, 1, 2}), person_of({1})};
  for (const size_t classes : {1u, 3u}) {
    std::vector<Person> with = others;
    with.emplace_back(100000, Record{0, row});
    for (size_t i = 0; i < 100000; ++i) with.back()[i].label = static_cast<int64_t>(i % classes);
    for (const AddUp add_up : {AddUp::sum, AddUp::squares}) {
      const Public known{add_up, {}, 0};
      const Scores before = scores_of(data_of(others, kClasses), known, range, pool),
                   after = scores_of(data_of(with, kClasses), known, range, pool);
      double total = 0;
      for (size_t c = 0; c < kClasses; ++c) {
        double largest = 0;
        for (size_t j = 0; j < kCandidates; ++j) {
          ASSERT_GE(after[c][j], before[c][j]);
          largest = std::max(largest, static_cast<double>(after[c][j] - before[c][j]) / most);
        }
        total += add_up == AddUp::sum ? largest : largest * largest;
      }
      EXPECT_LE(total, 1 + 1e-12);
      EXPECT_GT(total, 0.999);
    }
  }
}

}  // namespace
}  // namespace dppl
