#include "statistics/class_counts/class_counts.h"

#include <gtest/gtest.h>

#include "support/labelled_sample.h"

namespace dppl {
namespace {

using testing::data_of;
using testing::random_rows;
using testing::Sample;

// Of three classes.
BoundedSum counts_of(const std::vector<int64_t>& labels, const std::vector<int64_t>& people = {}) {
  const Sample records{random_rows(labels.size(), 1), labels};
  const PrivateData data = people.empty() ? data_of(records) : data_of(records).with_people(people);
  return class_counts(PrivateAccess(data), 3);
}

TEST(ClassCounts, CountsTheRecordsOfEveryClass) {
  const BoundedSum counts = counts_of({2, 0, 2, 2});
  EXPECT_EQ(counts.values, (std::vector<int64_t>{1, 0, 3}));
  EXPECT_EQ(counts.bound.squared, 1);
  EXPECT_EQ(counts.bound.relation, Relation::add_remove);
}

TEST(ClassCounts, OneRecordMovesTheCountOfItsClassByOne) {
  std::vector<int64_t> labels{2, 0, 2, 2};
  const std::vector<int64_t> before = counts_of(labels).values;
  labels.insert(labels.begin() + 1, 1);
  EXPECT_EQ(counts_of(labels).values, (std::vector<int64_t>{before[0], before[1] + 1, before[2]}));
}

TEST(ClassCounts, APersonCountsOnceWhereMostOfTheirRecordsAre) {
  // Person 7 has two of three records in class 1; person 8 one each in 0 and 2, of which 0 comes first.
  const BoundedSum counts = counts_of({1, 2, 1, 2, 0}, {7, 7, 7, 8, 8});
  EXPECT_EQ(counts.values, (std::vector<int64_t>{1, 1, 0}));
  EXPECT_EQ(counts.bound.squared, 1);
  EXPECT_EQ(counts.bound.relation, Relation::add_remove_person);
  // Whoever comes along with all their records moves one count by one.
  EXPECT_EQ(counts_of({1, 2, 1, 2, 0, 2, 2, 0}, {7, 7, 7, 8, 8, 9, 9, 9}).values, (std::vector<int64_t>{1, 1, 1}));
}

}  // namespace
}  // namespace dppl
