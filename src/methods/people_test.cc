#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "dppl/error.h"
#include "dppl/fit.h"
#include "methods/method.h"
#include "numbers/integers.h"
#include "statistics/class_counts/class_counts.h"
#include "statistics/class_sums/class_sums.h"
#include "statistics/gradient_sum/gradient_sum.h"
#include "statistics/second_moment/second_moment.h"
#include "statistics/weighted_total/weighted_total.h"
#include "support/expect_error.h"
#include "support/labelled_sample.h"

// Fits with privacy for people.
namespace dppl {
namespace {

using testing::kDim;
using testing::random_rows;
using testing::Sample;
using testing::sample;

constexpr Relation kPerson = Relation::add_remove_person;

PublicData pool() { return PublicData::from_memory(random_rows(1200, 2), kDim); }

PrivateData people_of(const Sample& from, const std::vector<int64_t>& ids) {
  return PrivateData::from_memory(from.values, kDim, from.labels, ClassSet::numbered(3)).with_people(ids);
}

// Public examples of two classes, of which one has no record.
std::shared_ptr<const ClassKnowledge> examples() {
  return std::make_shared<ClassKnowledge>(ClassSet::numbered(3), PublicData::from_memory(random_rows(2, 12), kDim),
                                          std::vector<int64_t>{0, 2}, std::nullopt);
}

// Everything that a fit releases: every noisy sum, the choices, and the bits of the prototypes.
std::vector<int64_t> released(const PrivateData& data, const Settings& settings, const BudgetSpec& budget,
                              unsigned threads = 2, std::shared_ptr<const ClassKnowledge> knowledge = nullptr) {
  std::vector<int64_t> values;
  SeededRandom random(5);
  const FitOptions options{
      .settings = settings,
      .threads = threads,
      .released =
          [&](const Release& release) { values.insert(values.end(), release.values.begin(), release.values.end()); },
      .knowledge = std::move(knowledge)};
  const Model model = fit(data, pool(), options, Budget::unledgered(budget), random);
  values.insert(values.end(), model.pool_indices.begin(), model.pool_indices.end());
  for (const float value : model.prototypes) values.push_back(std::bit_cast<int32_t>(value));
  EXPECT_EQ(model.guarantee.relation, budget.relation);
  EXPECT_EQ(serialise_model(parse_model(serialise_model(model), "model")), serialise_model(model));
  return values;
}

std::vector<Settings> all_settings() {
  const TransformSpec whiten = TransformSpec::parse("whiten:5:0.2");
  return {AutoSettings{},
          MeanSettings{},
          MeanSettings{.transform = whiten,
                       .center_share = Rational(1, 20),
                       .shrinkage = Shrinkage{},
                       .extra = GradientSteps{.steps = 3}},
          MeanSettings{.transform = whiten, .extra = SecondMomentMetric{}},
          PublicSettings{},
          PublicSettings{.clip = {Rational(9, 10), Rational(3, 2)}},
          PublicSettings{.mechanism = SelectionMechanism::permute_and_flip},
          PublicSettings{.mechanism = SelectionMechanism::laplace},
          PublicKSettings{.k = 3}};
}

std::vector<BudgetSpec> budgets_for(const Settings& settings, Relation relation) {
  std::vector<BudgetSpec> budgets{BudgetSpec::zcdp(Rational(1, 2), relation),
                                  BudgetSpec::approximate(2, Rational(1, 100000), relation)};
  if (!std::holds_alternative<MeanSettings>(settings)) budgets.push_back(BudgetSpec::pure(2, relation));
  return budgets;
}

TEST(PeopleFit, OneRecordPerPersonReleasesTheBytesOfAFitForRecords) {
  const Sample records = sample(60);
  std::vector<int64_t> ids(60);
  for (size_t i = 0; i < 60; ++i) ids[i] = static_cast<int64_t>(i * 37 % 61);
  const PrivateData of_records = testing::data_of(records), of_people = people_of(records, ids);
  for (const Settings& settings : all_settings()) {
    const auto for_records = budgets_for(settings, Relation::add_remove), for_people = budgets_for(settings, kPerson);
    for (size_t b = 0; b < for_people.size(); ++b) {
      for (const auto& knowledge : {std::shared_ptr<const ClassKnowledge>(), examples()}) {
        EXPECT_EQ(released(of_people, settings, for_people[b], 2, knowledge),
                  released(of_records, settings, for_records[b], 2, knowledge))
            << method_name(settings) << " " << b << (knowledge ? ", with examples" : "");
      }
    }
  }
}

// Records in another order, people interleaved, other numbers of people, other numbers of threads.
TEST(PeopleFit, OrderAndThreadsDoNotChangeABit) {
  Sample records = sample(90);
  std::vector<int64_t> ids(90);
  for (size_t i = 0; i < 90; ++i) ids[i] = static_cast<int64_t>(i / 4);
  std::vector<size_t> order(90);
  std::iota(order.begin(), order.end(), size_t{0});
  SeededRandom random(8);
  for (size_t i = 89; i > 0; --i) std::swap(order[i], order[random.next64() % (i + 1)]);
  Sample shuffled;
  std::vector<int64_t> renamed;
  for (const size_t i : order) {
    const auto row = std::span(records.values).subspan(i * kDim, kDim);
    shuffled.values.insert(shuffled.values.end(), row.begin(), row.end());
    shuffled.labels.push_back(records.labels[i]);
    renamed.push_back(1000 - ids[i]);
  }
  const PrivateData one = people_of(records, ids), other = people_of(shuffled, renamed);
  for (const Settings& settings : all_settings()) {
    for (const BudgetSpec& budget : budgets_for(settings, kPerson)) {
      EXPECT_EQ(released(other, settings, budget, 3), released(one, settings, budget, 1)) << method_name(settings);
    }
  }
}

// Nobody, and a class that nobody has.
TEST(PeopleFit, NobodyIsADataSetToo) {
  const PrivateData nobody = people_of(Sample{}, {});
  for (const Settings& settings : all_settings()) {
    for (const BudgetSpec& budget : budgets_for(settings, kPerson)) {
      EXPECT_FALSE(released(nobody, settings, budget).empty());
      released(nobody, with_person_split(settings, PersonSplit::small_classes), budget);
    }
  }
}

TEST(PeopleFit, CostsWhatWasAskedForThePerson) {
  const PrivateData data = people_of(sample(40), std::vector<int64_t>(40, 3));
  SecureRandom random;
  const PublicData public_pool = pool();
  for (const Settings& settings : all_settings()) {
    for (const BudgetSpec& budget : budgets_for(settings, kPerson)) {
      const FitPlan plan(data, public_pool, {.settings = settings}, budget);
      const Guarantee spent = plan.run(Budget::unledgered(budget), random).guarantee;
      EXPECT_EQ(spent.relation, kPerson);
      if (budget.notion == Notion::pure) {
        EXPECT_LE(*spent.epsilon, budget.amount);
      } else if (budget.notion == Notion::approximate) {
        EXPECT_LE(*spent.epsilon_at(budget.delta), budget.amount);
      } else {
        EXPECT_LE(*spent.rho, budget.amount);
        // A person may be in all classes: what each costs does not bound what all of them do.
        EXPECT_FALSE(spent.epsilon.has_value());
        EXPECT_FALSE(spent.bounded_range.has_value());
      }
    }
  }
}

TEST(PeopleFit, RefusesABudgetForTheOtherUnit) {
  const PrivateData of_people = people_of(sample(), std::vector<int64_t>(40, 3)),
                    of_records = testing::data_of(sample());
  testing::expect_error<InvalidInput>([&] { FitPlan(of_people, pool(), {}, BudgetSpec::zcdp(1)); },
                                      {"the budget is for records", "for people"});
  testing::expect_error<InvalidInput>([&] { FitPlan(of_records, pool(), {}, BudgetSpec::zcdp(1, kPerson)); },
                                      {"not known whose the records are"});
  const FitOptions small{.settings = MeanSettings{.person_split = PersonSplit::small_classes}};
  testing::expect_error<InvalidSetting>([&] { FitPlan(of_records, pool(), small, BudgetSpec::zcdp(1)); },
                                        {"person-split"});
  EXPECT_THROW(CheckedBudget(Budget::unledgered(BudgetSpec::zcdp(1)), PrivateAccess(of_people)), InvalidInput);
}

// Somebody who has most of the records, in all classes, beside others of a few.
TEST(PeopleFit, FitsAPersonWithAHundredThousandRecords) {
  Sample records = sample(60);
  std::vector<int64_t> ids(60);
  for (size_t i = 0; i < 60; ++i) ids[i] = static_cast<int64_t>(i / 3);
  const std::vector<float> rows = random_rows(100, 4);
  for (size_t i = 0; i < 100000; ++i) {
    const auto row = std::span(rows).subspan(i % 100 * kDim, kDim);
    records.values.insert(records.values.end(), row.begin(), row.end());
    records.labels.push_back(static_cast<int64_t>(i % 3));
    ids.push_back(std::numeric_limits<int64_t>::max());
  }
  const PrivateData data = people_of(records, ids);
  for (const Settings& settings : all_settings()) {
    EXPECT_FALSE(released(data, settings, budgets_for(settings, kPerson).back()).empty()) << method_name(settings);
  }
}

// Small classes first: sizes are bought, whatever the method, and the price stays.
TEST(PeopleFit, TurnsToSmallClassesByReleasedSizes) {
  Sample records = sample(60);
  for (size_t i = 50; i < 60; ++i) records.labels[i] = 2;
  std::vector<int64_t> ids(60);
  for (size_t i = 0; i < 60; ++i) ids[i] = static_cast<int64_t>(i % 10);
  const PrivateData data = people_of(records, ids);
  const PublicData public_pool = pool();
  for (const Settings& plain : all_settings()) {
    const Settings settings = with_person_split(plain, PersonSplit::small_classes);
    for (const BudgetSpec& budget : budgets_for(settings, kPerson)) {
      std::vector<std::string> order;
      const FitOptions options{.settings = settings,
                               .released = [&](const Release& release) { order.emplace_back(release.what); }};
      SeededRandom random(2);
      const Model model = fit(data, public_pool, options, Budget::unledgered(budget), random);
      ASSERT_FALSE(order.empty());
      EXPECT_EQ(order.front(), "class sizes");
      EXPECT_EQ(std::ranges::count(order, "class sizes"), 1);
      EXPECT_EQ(model.size_share, kSizeShare);
      EXPECT_EQ(person_split_of(model.settings), PersonSplit::small_classes);
      const Guarantee& spent = model.guarantee;
      EXPECT_LE(budget.notion == Notion::pure   ? *spent.epsilon
                : budget.notion == Notion::zcdp ? *spent.rho
                                                : *spent.epsilon_at(budget.delta),
                budget.amount);
    }
  }
}

// ---- Extreme people

struct Sums {
  BoundedSum sums, counts, total, moment, gradient;
};

Sums sums_of(const PrivateData& data, unsigned threads = 2) {
  const PrivateAccess access(data);
  const PublicTransform transform = PublicTransform::restore({}, kDim, {}, {});
  const Records records{access, 3, transform, threads};
  SmallRows rows(records.size(), kDim);
  BoundedSum sums = class_sums(records, rows);
  std::vector<double> weights(3 * kDim), offsets(3);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = i % 7 == 0 ? 4.0 : -1.0;
  return {std::move(sums), class_counts(access, 3), weighted_total(records, std::vector<int64_t>(3, kFullWeight), 1),
          second_moment(rows, access, threads), GradientSums(rows, access, threads).at({weights, offsets})};
}

double norm_of(const BoundedSum& sum) {
  double squares = 0;
  for (const int64_t value : sum.values) squares += static_cast<double>(value) * static_cast<double>(value);
  EXPECT_EQ(sum.bound.relation, kPerson);
  return std::sqrt(squares / static_cast<double>(sum.bound.squared));
}

TEST(PeopleStatistics, APersonWithAHundredThousandRecordsCountsAsOne) {
  Sample records;
  const std::vector<float> rows = random_rows(50, 4);
  for (size_t i = 0; i < 100000; ++i) {
    const auto row = std::span(rows).subspan(i % 50 * kDim, kDim);
    records.values.insert(records.values.end(), row.begin(), row.end());
    records.labels.push_back(static_cast<int64_t>(i % 3));
  }
  const PrivateData data = people_of(records, std::vector<int64_t>(100000, 7));
  const Sums all = sums_of(data);
  for (const BoundedSum* sum : {&all.sums, &all.counts, &all.total, &all.moment, &all.gradient}) {
    EXPECT_LE(norm_of(*sum), 1);
  }
  EXPECT_GT(norm_of(all.sums), 0.99);
  EXPECT_EQ(norm_of(all.counts), 1);
  EXPECT_GT(norm_of(all.gradient), 0.99);
  EXPECT_GT(norm_of(all.moment), 0.01);
}

// Rows of a person, of every kind: any directions, nearly the same, the same and its opposite, along one axis, and of
// lengths from the smallest to the largest that a float holds.
std::vector<float> rows_of_somebody(size_t records, uint64_t kind, uint64_t seed) {
  std::vector<float> rows = random_rows(records, seed);
  for (size_t i = 0; i < rows.size(); ++i) {
    const size_t record = i / kDim, k = i % kDim;
    if (kind == 1 && k == 0) rows[i] += 30;
    if (kind == 2) rows[i] = record % 2 == 0 ? rows[k] : -rows[k];
    if (kind == 3) rows[i] = k == 5 ? 1.0f : 0.0f;
    if (kind == 4) rows[i] *= record % 2 == 0 ? 1e-37f : 1e37f;
  }
  return rows;
}

// 3,000 people of 1 to 300 records, of whom each alone is a data set: what they add is within the bound, and from
// several threads what it is from one.
TEST(PeopleStatistics, NobodyAddsMoreThanTheBound) {
  SeededRandom random(6);
  double longest_sums = 0, longest_gradient = 0;
  for (uint64_t i = 0; i < 3000; ++i) {
    const size_t records = i % 20 == 0 ? 120 + random.next64() % 180 : 1 + random.next64() % 12;
    Sample one{rows_of_somebody(records, random.next64() % 5, 100 + i), {}};
    const uint64_t classes = 1 + random.next64() % 3;
    for (size_t r = 0; r < records; ++r) one.labels.push_back(static_cast<int64_t>(random.next64() % classes));
    const PrivateData data = people_of(one, std::vector<int64_t>(records, 0));
    const Sums all = sums_of(data, 1);
    for (const auto member : {&Sums::sums, &Sums::counts, &Sums::total, &Sums::moment, &Sums::gradient}) {
      ASSERT_LE(norm_of(all.*member), 1) << i;
    }
    if (records > 1) longest_sums = std::max(longest_sums, norm_of(all.sums));
    longest_gradient = std::max(longest_gradient, norm_of(all.gradient));
    if (i % 10 != 0) continue;
    const Sums again = sums_of(data, 3);
    for (const auto member : {&Sums::sums, &Sums::counts, &Sums::total, &Sums::moment, &Sums::gradient}) {
      ASSERT_EQ((all.*member).values, (again.*member).values);
    }
  }
  EXPECT_GT(longest_sums, 0.9999);
  EXPECT_GT(longest_gradient, 0.99);
}

// The exact loss of every noisy sum over all person neighbours of 300 small data sets. Discrete Gaussian noise has a
// Rényi divergence of α·ρ times the squared norm of the move over the bound, Laplace noise a log-ratio of up to ε times
// the sum of the absolute moves.
TEST(PeopleStatistics, AllPersonNeighboursOfSmallDataSetsAreWithinTheBound) {
  SeededRandom random(9);
  const auto squares = [](const BoundedSum& a, const BoundedSum& b) {
    int128 sum = 0;
    for (size_t k = 0; k < a.values.size(); ++k)
      sum += static_cast<int128>(a.values[k] - b.values[k]) * (a.values[k] - b.values[k]);
    return sum;
  };
  for (uint64_t i = 0; i < 300; ++i) {
    const size_t records = 1 + random.next64() % 12;
    Sample with{rows_of_somebody(records, i % 5, i), std::vector<int64_t>(records)};
    std::vector<int64_t> ids(records);
    for (int64_t& label : with.labels) label = static_cast<int64_t>(random.next64() % 3);
    for (int64_t& id : ids) id = static_cast<int64_t>(random.next64() % 4);
    const Sums after = sums_of(people_of(with, ids), 1);
    for (int64_t person = 0; person < 4; ++person) {
      Sample without;
      std::vector<int64_t> others;
      for (size_t r = 0; r < records; ++r) {
        if (ids[r] == person) continue;
        const auto row = std::span(with.values).subspan(r * kDim, kDim);
        without.values.insert(without.values.end(), row.begin(), row.end());
        without.labels.push_back(with.labels[r]);
        others.push_back(ids[r]);
      }
      const Sums before = sums_of(people_of(without, others), 1);
      for (const auto member : {&Sums::sums, &Sums::counts, &Sums::total, &Sums::moment, &Sums::gradient}) {
        ASSERT_LE(squares(after.*member, before.*member), (after.*member).bound.squared) << i;
      }
      int64_t moved = 0;
      for (size_t c = 0; c < 3; ++c) moved += std::abs(after.counts.values[c] - before.counts.values[c]);
      ASSERT_LE(moved, 1);
    }
  }
}

// What people add is a sum over them: nobody's depends on who else there is.
TEST(PeopleStatistics, ThePartsOfPeopleAddUp) {
  const Sample records = sample(400);
  std::vector<int64_t> ids(400);
  SeededRandom random(3);
  for (int64_t& id : ids) id = static_cast<int64_t>(random.next64() % 60);
  const Sums together = sums_of(people_of(records, ids));
  for (const auto member : {&Sums::sums, &Sums::counts, &Sums::total, &Sums::moment, &Sums::gradient}) {
    std::vector<int64_t> total((together.*member).values.size());
    for (int64_t person = 0; person < 60; ++person) {
      Sample own;
      for (size_t i = 0; i < 400; ++i) {
        if (ids[i] != person) continue;
        const auto row = std::span(records.values).subspan(i * kDim, kDim);
        own.values.insert(own.values.end(), row.begin(), row.end());
        own.labels.push_back(records.labels[i]);
      }
      if (own.labels.empty()) continue;
      const Sums alone = sums_of(people_of(own, std::vector<int64_t>(own.labels.size(), 1)));
      for (size_t k = 0; k < total.size(); ++k) total[k] += (alone.*member).values[k];
    }
    EXPECT_EQ((together.*member).values, total);
  }
}

}  // namespace
}  // namespace dppl
