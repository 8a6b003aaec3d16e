#include <gtest/gtest.h>

#include <numeric>

#include "dppl/error.h"
#include "dppl/experiments.h"
#include "dppl/metrics.h"
#include "dppl/random.h"
#include "support/expect_error.h"
#include "support/expect_private_error.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::expect_private_error;
using Labels = std::vector<int64_t>;

TEST(Evaluation, CountsByHand) {
  const Labels truth = {0, 0, 0, 0, 1, 1, 2}, predicted = {0, 0, 0, 1, 1, 0, 3};
  const Evaluation result =
      evaluate(predicted, truth, ClassSet::named({"a", "b", "c", "d"}), std::vector<uint64_t>{400, 10, 20, 30});
  EXPECT_EQ(result.n, 7u);
  EXPECT_DOUBLE_EQ(result.accuracy, 4.0 / 7);
  EXPECT_DOUBLE_EQ(result.balanced_accuracy, (0.75 + 0.5 + 0) / 3) << "class d has no test record";
  EXPECT_DOUBLE_EQ(result.minority_accuracy.value(), 0.5) << "class b is the smallest quarter of four";
  ASSERT_EQ(result.per_class.size(), 4u);
  EXPECT_EQ(result.per_class[0].correct, 3u);
  EXPECT_EQ(result.per_class[0].n, 4u);
  EXPECT_EQ(result.per_class[1].name, "b");
  EXPECT_EQ(result.per_class[1].label, 1);
  EXPECT_DOUBLE_EQ(result.per_class[2].accuracy.value(), 0);
  EXPECT_FALSE(result.per_class[3].accuracy);
  EXPECT_EQ(result.confusion.value(), (std::vector<uint64_t>{3, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}));
}

TEST(Evaluation, MinorityNeedsTrainingCountsAndTestRecords) {
  const ClassSet classes = ClassSet::numbered(2);
  EXPECT_FALSE(evaluate(Labels{0}, Labels{0}, classes).minority_accuracy);
  EXPECT_FALSE(evaluate(Labels{0}, Labels{0}, classes, std::vector<uint64_t>{5, 0}).minority_accuracy);
  EXPECT_EQ(evaluate(Labels{0}, Labels{0}, classes, std::vector<uint64_t>{5, 6}).minority_accuracy, 1.0);
}

TEST(Evaluation, MinorityIsTheSmallestQuarterRoundedUp) {
  using Classes = std::vector<size_t>;
  EXPECT_EQ(minority_classes(std::vector<uint64_t>{9}), Classes{0});
  EXPECT_EQ(minority_classes(std::vector<uint64_t>{9, 8, 7, 6}), Classes{3});
  EXPECT_EQ(minority_classes(std::vector<uint64_t>{9, 8, 7, 6, 5}), (Classes{4, 3}));
  EXPECT_EQ(minority_classes(std::vector<uint64_t>{3, 3, 3, 3, 3, 3, 3, 3}), (Classes{0, 1})) << "of equals the first";
  EXPECT_EQ(minority_classes(std::vector<uint64_t>(10, 1)).size(), 3u);
  EXPECT_EQ(minority_classes(std::vector<uint64_t>(100, 1)).size(), 25u);
  EXPECT_EQ(minority_classes(std::vector<uint64_t>(101, 1)).size(), 26u);
}

TEST(Evaluation, PropertiesOfRandomPredictions) {
  SeededRandom random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const size_t classes = 1 + random.next64() % 12, n = 1 + random.next64() % 60;
    Labels truth(n), predicted(n);
    for (size_t i = 0; i < n; ++i) {
      truth[i] = static_cast<int64_t>(random.next64() % classes);
      predicted[i] = static_cast<int64_t>(random.next64() % classes);
    }
    const ClassSet set = ClassSet::numbered(classes);
    const Evaluation result = evaluate(predicted, truth, set, class_counts(predicted, set));
    const std::vector<uint64_t>& confusion = result.confusion.value();
    EXPECT_EQ(std::accumulate(confusion.begin(), confusion.end(), uint64_t{0}), n);
    uint64_t diagonal = 0, records = 0;
    for (size_t c = 0; c < classes; ++c) {
      diagonal += confusion[c * classes + c];
      records += result.per_class[c].n;
      EXPECT_EQ(result.per_class[c].correct, confusion[c * classes + c]);
    }
    EXPECT_EQ(records, n);
    EXPECT_DOUBLE_EQ(result.accuracy, static_cast<double>(diagonal) / static_cast<double>(n));
    EXPECT_GE(result.balanced_accuracy, 0);
    EXPECT_LE(result.balanced_accuracy, 1);
    const Evaluation perfect = evaluate(truth, truth, set);
    EXPECT_EQ(perfect.accuracy, 1);
    EXPECT_EQ(perfect.balanced_accuracy, 1);
  }
}

TEST(Evaluation, NoConfusionForVeryManyClasses) {
  const size_t most = Evaluation::kMaxConfusionClasses;
  EXPECT_TRUE(evaluate(Labels{5}, Labels{5}, ClassSet::numbered(most)).confusion);
  EXPECT_FALSE(evaluate(Labels{5}, Labels{5}, ClassSet::numbered(most + 1)).confusion);
}

TEST(Evaluation, RefusesWhatDoesNotFit) {
  const ClassSet two = ClassSet::numbered(2);
  expect_error<InvalidInput>([&] { evaluate({}, {}, two); }, {"test labels: there are none"});
  expect_private_error(
      [&] {
        evaluate(Labels{0}, Labels{0, 1}, two);
      },
      {"test labels: "}, {"2 labels for 1 predictions"});
  expect_private_error([&] { evaluate(Labels{0}, Labels{2}, two); }, {"test labels: "}, {"row 0 has label 2"});
  expect_private_error([&] { evaluate(Labels{-1}, Labels{0}, two); }, {"predictions: "}, {"row 0 has label -1"});
  expect_error<InvalidInput>([&] { evaluate(Labels{0}, Labels{0}, two, std::vector<uint64_t>{1}); },
                             {"training counts: 1 for 2 classes"});
}

}  // namespace
}  // namespace dppl
