#include <gtest/gtest.h>

#include <cmath>
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
    const Evaluation result = evaluate(predicted, truth, set, count_labels(predicted, set));
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

// ---- Confidence

using Certainties = std::vector<float>;

// Record i is right where rights[i] is 1.
ConfidenceEvaluation of_rights(const Labels& rights, const Certainties& certainties) {
  return evaluate_confidence(rights, Labels(rights.size(), 1), certainties);
}

std::vector<double> accuracies(const ConfidenceEvaluation& confidence) {
  std::vector<double> result;
  for (const auto& [left, accuracy] : confidence.when_left_to_a_person) result.push_back(accuracy);
  return result;
}

TEST(Confidence, RightAsOftenAsItIsSureIsPerfect) {
  // Of the four at 0.75 three are right, of the two at 0.5 one, and the one at 1.
  const auto result = of_rights({1, 0, 1, 1, 0, 1, 1}, {0.75f, 0.75f, 0.75f, 0.75f, 0.5f, 0.5f, 1});
  EXPECT_EQ(result.expected_calibration_error, 0);
  ASSERT_EQ(result.when_left_to_a_person.size(), 3u);
  EXPECT_EQ(result.when_left_to_a_person[0].left, 0.1);
  EXPECT_EQ(result.when_left_to_a_person[1].left, 0.25);
  EXPECT_EQ(result.when_left_to_a_person[2].left, 0.5);
}

TEST(Confidence, AllWrongIsOffByItsCertainty) {
  const auto sure = of_rights({0, 0, 0, 0}, {1, 1, 1, 1});
  EXPECT_EQ(sure.expected_calibration_error, 1);
  EXPECT_EQ(accuracies(sure), (std::vector<double>{0, 0, 0}));
  EXPECT_DOUBLE_EQ(of_rights({0, 0}, {0.25f, 0.75f}).expected_calibration_error, 0.5);
}

TEST(Confidence, OfOneCertaintyForAllTheErrorIsTheDifferenceToTheAccuracy) {
  const auto result = of_rights({1, 1, 1, 0}, {0.5f, 0.5f, 0.5f, 0.5f});
  EXPECT_DOUBLE_EQ(result.expected_calibration_error, 0.25) << "too modest counts as too sure does";
  EXPECT_EQ(of_rights({1, 1, 1, 0}, {1, 1, 1, 1}).expected_calibration_error, 0.25);
  EXPECT_EQ(of_rights({1, 1, 1, 0}, {0, 0, 0, 0}).expected_calibration_error, 0.75);
}

TEST(Confidence, ErrorsCancelWithinABinOnly) {
  // 0.74 and 0.79 share the bin from 11/15 to 12/15; 0.72 is in the one below.
  EXPECT_NEAR(of_rights({1, 0}, {0.74f, 0.79f}).expected_calibration_error, std::abs(0.74 + 0.79 - 1) / 2, 1e-7);
  EXPECT_NEAR(of_rights({1, 0}, {0.72f, 0.79f}).expected_calibration_error, (1 - 0.72 + 0.79) / 2, 1e-7);
}

TEST(Confidence, OneRecordAndOneClass) {
  const auto one = of_rights({1}, {0.75f});
  EXPECT_EQ(one.expected_calibration_error, 0.25) << "one record in fifteen bins";
  EXPECT_EQ(accuracies(one), (std::vector<double>{1, 1, 1})) << "it is never left";
  EXPECT_EQ(accuracies(of_rights({0}, {0.75f})), (std::vector<double>{0, 0, 0}));
  // Whoever knows one class only is always sure and always right.
  const auto one_class = evaluate_confidence(Labels(20, 0), Labels(20, 0), Certainties(20, 1));
  EXPECT_EQ(one_class.expected_calibration_error, 0);
  EXPECT_EQ(accuracies(one_class), (std::vector<double>{1, 1, 1}));
}

TEST(Confidence, TheLeastCertainAreLeftToAPerson) {
  // By certainty: wrong, wrong, right, right, wrong, then five right.
  const Labels rights = {1, 0, 1, 0, 1, 0, 1, 1, 1, 1};
  const Certainties certainties = {0.9f, 0.2f, 0.4f, 0.3f, 0.5f, 0.6f, 0.7f, 0.8f, 0.95f, 1};
  EXPECT_EQ(accuracies(of_rights(rights, certainties)), (std::vector<double>{7.0 / 9, 7.0 / 8, 5.0 / 5}))
      << "1, 2 (of 2.5) and 5 are left";
}

TEST(Confidence, OfEquallyCertainRecordsTheEarlierAreLeftFirst) {
  EXPECT_EQ(accuracies(of_rights({0, 1, 0, 1}, Certainties(4, 0.5f))), (std::vector<double>{0.5, 2.0 / 3, 0.5}));
  EXPECT_EQ(accuracies(of_rights({1, 0, 0, 1}, {0.5f, 0.9f, 0.5f, 0.5f})), (std::vector<double>{0.5, 1.0 / 3, 0.5}));
}

// The definition, word for word.
TEST(Confidence, IsTheMeanDifferenceOverTheBins) {
  SeededRandom random(7);
  for (int trial = 0; trial < 100; ++trial) {
    const size_t n = 1 + random.next64() % 60;
    Labels rights(n);
    Certainties certainties(n);
    for (size_t i = 0; i < n; ++i) {
      rights[i] = static_cast<int64_t>(random.next64() % 2);
      certainties[i] = static_cast<float>(random.next64() >> 40) * 0x1p-24f;
    }
    double expected = 0;
    for (int bin = 0; bin < 15; ++bin) {
      double count = 0, certainty = 0, right = 0;
      for (size_t i = 0; i < n; ++i) {
        const auto value = static_cast<double>(certainties[i]);
        if (value <= bin / 15.0 || value > (bin + 1) / 15.0) continue;
        count += 1;
        certainty += value;
        right += static_cast<double>(rights[i]);
      }
      if (count > 0) expected += count / static_cast<double>(n) * std::abs(certainty / count - right / count);
    }
    EXPECT_NEAR(of_rights(rights, certainties).expected_calibration_error, expected, 1e-12);
  }
}

TEST(Confidence, RefusesWhatDoesNotFit) {
  expect_error<InvalidInput>([] { evaluate_confidence({}, {}, {}); }, {"test labels: there are none"});
  expect_private_error(
      [] {
        evaluate_confidence(Labels{0}, Labels{0, 1}, Certainties{1, 1});
      },
      {"test labels: "}, {"2 labels for 1 predictions"});
  expect_private_error(
      [] {
        evaluate_confidence(Labels{0, 1}, Labels{0, 1}, Certainties{1});
      },
      {"certainties: "}, {"1 certainties for 2 labels"});
  for (const float bad : {-0.1f, 1.1f, std::nanf("")}) {
    expect_private_error([&] { of_rights({1, 1}, {0.5f, bad}); }, {"certainties: ", "probability"}, {"row 1"});
  }
}

}  // namespace
}  // namespace dppl
