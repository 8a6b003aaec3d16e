#include "estimation/known_directions.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dppl {
namespace {

double length(std::span<const double> row) {
  double squares = 0;
  for (const double value : row) squares += value * value;
  return std::sqrt(squares);
}

// Three classes: two examples, none, one.
KnownDirections some_directions() {
  std::vector<float> rows{2, 0, 0, 3, 0, 5};
  const ClassKnowledge knowledge(ClassSet::numbered(3), PublicData::from_memory(std::move(rows), 2), {0, 0, 2},
                                 std::nullopt);
  return known_directions(knowledge, PublicTransform::restore({}, 2, {}, {}));
}

TEST(KnownDirections, AreUnitMeansOfExamples) {
  const KnownDirections known = some_directions();
  EXPECT_EQ(known.examples, (std::vector<size_t>{2, 0, 1}));
  EXPECT_NEAR(known.directions[0], std::sqrt(0.5), 1e-9) << "every example counts alike, whatever its length";
  EXPECT_NEAR(known.directions[1], std::sqrt(0.5), 1e-9);
  EXPECT_EQ(length(std::span(known.directions).subspan(2, 2)), 0);
  EXPECT_NEAR(known.directions[5], 1, 1e-9);
}

TEST(KnownDirections, MoreExamplesAreCloserToTheMean) {
  const std::vector<double> means = some_directions().expected_means(3);
  EXPECT_NEAR(length(std::span(means).first(2)), std::sqrt(2.0 / 5), 1e-9);
  EXPECT_EQ(length(std::span(means).subspan(2, 2)), 0);
  EXPECT_NEAR(length(std::span(means).subspan(4, 2)), 0.5, 1e-9);
}

}  // namespace
}  // namespace dppl
