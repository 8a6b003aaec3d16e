#include "dppl/classify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dppl/error.h"
#include "dppl/random.h"
#include "support/expect_error.h"

namespace dppl {
namespace {

constexpr size_t kInput = 40, kDirections = 6, kClasses = 9, kRows = 2 * 512 + 77;  // blocks are of 512 rows

class Numbers {
 public:
  explicit Numbers(uint64_t seed) : random_(seed) {}
  float operator()() { return static_cast<float>(static_cast<int64_t>(random_.next64()) >> 32) * 0x1p-31f; }
  std::vector<float> operator()(size_t count) {
    std::vector<float> result(count);
    for (float& value : result) value = (*this)();
    return result;
  }

 private:
  SeededRandom random_;
};

PublicTransform some_transform(const char* text, size_t window) {
  TransformSpec spec = TransformSpec::parse(text);
  spec.window = window;
  const size_t pooled = kInput / window;
  Numbers numbers(3);
  std::vector<float> mean = numbers(spec.needs_pool() ? pooled : 0);
  for (float& value : mean) value *= 0.2f;
  const bool has_basis = spec.kind == TransformSpec::Kind::pca || spec.kind == TransformSpec::Kind::whiten;
  return PublicTransform::restore(spec, kInput, std::move(mean), numbers(has_basis ? pooled * kDirections : 0));
}

// Prototypes that differ in one value by the last bit, so that rounding decides which is nearest.
Model near_ties(const char* transform, size_t window, Distance distance, size_t per_class) {
  Model model{.transform = some_transform(transform, window)};
  MeanSettings settings{.transform = model.transform.spec()};
  if (distance == Distance::dot) settings.extra = SecondMomentMetric{};
  model.settings = settings;
  model.classes = ClassSet::numbered(kClasses);
  model.prototypes_per_class = per_class;
  const size_t dim = model.output_dim();
  const std::vector<float> base = Numbers(4)(per_class * dim);
  for (size_t c = 0; c < kClasses; ++c) {
    model.prototypes.insert(model.prototypes.end(), base.begin(), base.end());
    float& value = model.prototypes[c * per_class * dim + c % dim];
    value = std::nextafter(value, c % 2 == 0 ? 2.0f : -2.0f);
  }
  return model;
}

// Among ordinary ones some whose length would overflow or vanish, and one that is zero.
std::vector<float> some_rows() {
  std::vector<float> rows = Numbers(5)(kRows * kInput);
  const float scales[] = {1e37f, 1e-37f, 1e-30f, 1e25f, 0};
  for (size_t s = 0; s < std::size(scales); ++s) {
    for (size_t i = 0; i < kInput; ++i) rows[(13 + 211 * s) * kInput + i] *= scales[s];
  }
  return rows;
}

struct Scored {
  std::vector<float> scores;
  std::vector<int32_t> nearest;
};

Scored score_all(const Classifier& classifier, const Embeddings& rows) {
  Scored result;
  classifier.score(rows, [&](uint64_t first, std::span<const float> scores, std::span<const int32_t> nearest) {
    EXPECT_EQ(first, result.nearest.size());
    result.scores.insert(result.scores.end(), scores.begin(), scores.end());
    result.nearest.insert(result.nearest.end(), nearest.begin(), nearest.end());
  });
  return result;
}

template <typename Check>
void for_each_model(Check check) {
  for (const Distance distance : {Distance::cosine, Distance::dot}) {
    for (const char* transform : {"none", "center", "pca:6", "whiten:6"}) {
      for (const size_t window : {size_t{1}, size_t{2}}) {
        for (const size_t per_class : {size_t{1}, size_t{3}}) {
          SCOPED_TRACE(std::string(to_string(distance)) + " " + transform + " " + std::to_string(window));
          check(near_ties(transform, window, distance, per_class));
        }
      }
    }
  }
}

TEST(Classifier, PredictsTheLabelsThatItScores) {
  const Embeddings rows = Embeddings::from_memory(some_rows(), kInput);
  for_each_model([&](const Model& model) {
    const std::vector<int32_t> predicted = Classifier(model, 1).predict(rows);
    ASSERT_EQ(predicted.size(), kRows);
    for (const unsigned threads : {1u, 2u, 3u, 5u}) {
      const Classifier classifier(model, threads);
      EXPECT_EQ(classifier.predict(rows), predicted);
      const Scored scored = score_all(classifier, rows);
      EXPECT_EQ(scored.nearest, predicted) << threads;
      ASSERT_EQ(scored.scores.size(), kRows * kClasses);
      for (size_t i = 0; i < kRows; ++i) {
        const float* row = scored.scores.data() + i * kClasses;
        ASSERT_EQ(std::max_element(row, row + kClasses) - row, predicted[i]) << "row " << i;
      }
    }
  });
}

// Rows with a stride, and rows in several pieces, are not one block of memory.
TEST(Classifier, FindsRowsWhereverTheyLie) {
  const Model model = near_ties("none", 1, Distance::cosine, 1);
  const std::vector<float> values = Numbers(8)(kRows * kInput);
  constexpr size_t kStride = kInput + 3;
  std::vector<float> spaced(kRows * kStride, 7.0f);
  for (size_t i = 0; i < kRows; ++i) std::copy_n(&values[i * kInput], kInput, &spaced[i * kStride]);
  const Embeddings strided = Embeddings::view({.data = spaced.data(),
                                               .rows = kRows,
                                               .dim = kInput,
                                               .row_stride = static_cast<ptrdiff_t>(kStride * sizeof(float))});
  std::vector<Embeddings> parts;
  for (const auto& [begin, end] : {std::pair<size_t, size_t>{0, 100}, {100, 700}, {700, kRows}}) {
    parts.push_back(Embeddings::from_memory({values.begin() + static_cast<ptrdiff_t>(begin * kInput),
                                             values.begin() + static_cast<ptrdiff_t>(end * kInput)},
                                            kInput));
  }
  const Embeddings joined = Embeddings::joined(std::move(parts), "parts");
  const Classifier classifier(model, 2);
  const std::vector<int32_t> expected = classifier.predict(Embeddings::from_memory(values, kInput));
  EXPECT_EQ(classifier.predict(strided), expected);
  EXPECT_EQ(classifier.predict(joined), expected);
}

TEST(Classifier, ScoresAreTheSimilaritiesTheyClaimToBe) {
  const std::vector<float> values = some_rows();
  const Embeddings rows = Embeddings::from_memory(values, kInput);
  for_each_model([&](const Model& model) {
    const Scored scored = score_all(Classifier(model, 2), rows);
    const size_t dim = model.output_dim(), per_class = model.prototypes_per_class;
    const bool cosine = distance_of(model.settings) == Distance::cosine;
    const auto length = [&](const float* row) {
      double squares = 0;
      for (size_t k = 0; k < dim; ++k) squares += static_cast<double>(row[k]) * static_cast<double>(row[k]);
      return squares > 0 ? std::sqrt(squares) : 1;
    };
    for (size_t i = 0; i < kRows; i += 13) {  // among them the extreme ones
      std::vector<float> row(dim);
      model.transform.apply(std::span(values).subspan(i * kInput, kInput), row);
      const double of_row = length(row.data());
      for (size_t c = 0; c < kClasses; ++c) {
        double expected = 0, center_size = 0;
        for (size_t k = 0; k < dim; ++k) {
          double center = 0;
          for (size_t p = 0; p < per_class; ++p) {
            const float* prototype = model.prototypes.data() + (c * per_class + p) * dim;
            center +=
                static_cast<double>(prototype[k]) / (cosine ? length(prototype) : 1) / static_cast<double>(per_class);
          }
          const double value = static_cast<double>(row[k]) / of_row;
          expected += value * center;
          center_size += center * center;
        }
        const double tolerance = 2e-5 * std::max(1.0, std::sqrt(center_size));
        ASSERT_NEAR(static_cast<double>(scored.scores[i * kClasses + c]), expected, tolerance) << "row " << i;
      }
    }
  });
}

// ---- Probabilities

Model two_axes(size_t classes, double score_scale) {
  Model model{.transform = PublicTransform::restore({}, 2, {}, {})};
  model.settings = MeanSettings{};
  model.classes = ClassSet::numbered(classes);
  for (size_t c = 0; c < classes; ++c) model.prototypes.insert(model.prototypes.end(), {c == 0 ? 1.0f : 0.0f, 1.0f});
  model.score_scale = score_scale;
  return model;
}

void expect_distribution(std::span<const float> row) {
  double sum = 0;
  for (const float value : row) {
    ASSERT_TRUE(value >= 0 && value <= 1) << value;
    sum += static_cast<double>(value);
  }
  EXPECT_NEAR(sum, 1, 1e-6);
}

TEST(ClassProbabilities, AreSoftmaxOfTheScaledScores) {
  const Embeddings rows = Embeddings::from_memory(some_rows(), kInput);
  for (const double told : {0.0, 1.0, 37.5}) {
    const double scale = told == 0 ? 15 : told;
    Model model = near_ties("whiten:6", 1, Distance::cosine, 1);
    model.prototypes = Numbers(6)(model.prototypes.size());  // no near ties: classes of all probabilities
    model.score_scale = told;
    const Classifier classifier(model, 2);
    const Scored scored = score_all(classifier, rows);
    const std::vector<float> probabilities = classifier.probabilities(scored.scores);
    ASSERT_EQ(probabilities.size(), kRows * kClasses);
    for (size_t i = 0; i < kRows; ++i) {
      long double total = 0;
      for (size_t c = 0; c < kClasses; ++c) {
        total += std::exp(static_cast<long double>(scale) * static_cast<long double>(scored.scores[i * kClasses + c]));
      }
      for (size_t c = 0; c < kClasses; ++c) {
        const long double power =
            std::exp(static_cast<long double>(scale) * static_cast<long double>(scored.scores[i * kClasses + c]));
        ASSERT_FLOAT_EQ(probabilities[i * kClasses + c], static_cast<float>(power / total)) << "row " << i;
      }
    }
    EXPECT_EQ(Classifier(model, 1).probabilities(scored.scores), probabilities) << "whatever the threads";
  }
}

// With the smallest scale, rounding makes all probabilities of a row equal; with the largest one all but one are 0.
TEST(ClassProbabilities, TheFirstWithTheLargestIsTheNearestClass) {
  const Embeddings rows = Embeddings::from_memory(some_rows(), kInput);
  for (const double scale : {1e-9, 1e-3, 0.0, kMaxScoreScale}) {
    SCOPED_TRACE(scale);
    for_each_model([&](Model model) {
      model.score_scale = scale;
      const Classifier classifier(model, 1);
      const Scored scored = score_all(classifier, rows);
      const std::vector<float> probabilities = classifier.probabilities(scored.scores);
      for (size_t i = 0; i < kRows; ++i) {
        const auto row = std::span(probabilities).subspan(i * kClasses, kClasses);
        ASSERT_EQ(std::max_element(row.begin(), row.end()) - row.begin(), scored.nearest[i]) << "row " << i;
        expect_distribution(row);
      }
    });
  }
}

TEST(ClassProbabilities, ExtremeScoresGiveNumbers) {
  constexpr float kLargest = std::numeric_limits<float>::max(), kInfinity = std::numeric_limits<float>::infinity();
  using Row = std::vector<float>;
  for (const double scale : {std::numeric_limits<double>::denorm_min(), 1.0, kMaxScoreScale}) {
    const Classifier classifier(two_axes(3, scale));
    for (const Row& scores : {Row{kLargest, -kLargest, kLargest}, Row{kInfinity, -kInfinity, kInfinity},
                              Row{-kInfinity, -kInfinity, -kInfinity}, Row{std::nanf(""), 0, std::nanf("")},
                              Row{std::nanf(""), std::nanf(""), std::nanf("")}, Row{0, 0, 0}}) {
      expect_distribution(classifier.probabilities(scores));
    }
  }
  const Classifier sure(two_axes(3, 1));
  EXPECT_EQ(sure.probabilities(Row{-kInfinity, kInfinity, std::nanf("")}), (Row{0, 1, 0}));
  EXPECT_EQ(sure.probabilities(Row{1000, -1000, 1000}), (Row{0.5f, 0, 0.5f}))
      << "exp(1000) is more than a double holds";
}

TEST(ClassProbabilities, OneClassIsCertain) {
  const Classifier classifier(two_axes(1, 0));
  EXPECT_EQ(classifier.probabilities(std::vector<float>{0.25f, -1, 0}), (std::vector<float>{1, 1, 1}));
  EXPECT_TRUE(classifier.probabilities({}).empty());
}

TEST(ClassProbabilities, RefuseWhatDoesNotFit) {
  testing::expect_error<InvalidInput>([] { Classifier(two_axes(3, 0)).probabilities(std::vector<float>(4)); },
                                      {"scores: 4 values do not make rows of 3 classes"});
  for (const double scale : {-1.0, std::nan(""), std::numeric_limits<double>::infinity(), 2 * kMaxScoreScale}) {
    testing::expect_error<InvalidInput>([&] { Classifier{two_axes(3, scale)}; }, {"score scale"});
  }
}

}  // namespace
}  // namespace dppl
