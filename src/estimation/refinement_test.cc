#include "estimation/refinement.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "dppl/classify.h"
#include "dppl/error.h"
#include "random/simulation.h"
#include "rows/small_rows.h"
#include "statistics/gradient_sum/gradient_sum.h"
#include "support/expect_error.h"

namespace dppl {
namespace {

constexpr size_t kDim = 24, kClasses = 5;
constexpr double kNorm = static_cast<double>(kSmallRadius * kSmallRadius);

struct Records {
  std::vector<float> values;
  std::vector<int64_t> labels;

  void add(std::span<const float> row, int64_t label, bool in_front) {
    values.insert(in_front ? values.begin() : values.end(), row.begin(), row.end());
    labels.insert(in_front ? labels.begin() : labels.end(), label);
  }
  PrivateData data() const { return PrivateData::from_memory(values, kDim, labels, ClassSet::numbered(kClasses)); }
};
Records records(size_t count) {
  SeededRandom random(20);
  Records result;
  for (size_t i = 0; i < count * kDim; ++i) result.values.push_back(static_cast<float>(normal(random)));
  for (size_t i = 0; i < count; ++i) result.labels.push_back(static_cast<int64_t>(random.next64() % kClasses));
  return result;
}

// Somewhere on the way, with classes of different sizes.
Refinement somewhere() {
  SeededRandom random(21);
  Posterior start{std::vector<double>(kClasses * kDim), {100, 50, 20, 10, 0.1}};
  for (double& value : start.means) value = 0.2 * normal(random);
  Hyperparameters how;
  how.lift = Rational(1, 5);
  how.refine_steps = 30;
  how.refine_rate = 1;
  return Refinement(start, how, 1);
}

template <typename Use>
auto with_gradients(const PrivateData& data, unsigned threads, const Use& use) {
  const PublicTransform transform = PublicTransform::restore({}, kDim, {}, {});
  const PrivateAccess access(data);
  const Hyperparameters how;
  const std::function<void(double)> silent;
  const FitInput input{access, kClasses, nullptr, transform, how, threads, silent};
  return use(GradientSums(input));
}
std::vector<int64_t> exact(const Records& of, const Refinement& at, unsigned threads = 2) {
  return with_gradients(of.data(), threads, [&](const GradientSums& gradients) { return gradients.exact(at); });
}

// (p − y)·xᵀ of a record, not cut.
Eigen::MatrixXd gradient_by_hand(std::span<const float> values, size_t label, const Refinement& at) {
  Eigen::VectorXd row(kDim), scores(kClasses);
  for (size_t k = 0; k < kDim; ++k) row(static_cast<Eigen::Index>(k)) = static_cast<double>(values[k]);
  row.normalize();
  for (size_t c = 0; c < kClasses; ++c) {
    scores(static_cast<Eigen::Index>(c)) = at.offsets()[c];
    for (size_t k = 0; k < kDim; ++k) {
      scores(static_cast<Eigen::Index>(c)) += at.weights()[c * kDim + k] * row(static_cast<Eigen::Index>(k));
    }
  }
  Eigen::VectorXd residual = (scores.array() - scores.maxCoeff()).exp();
  residual /= residual.sum();
  residual(static_cast<Eigen::Index>(label)) -= 1;
  return residual * row.transpose();
}

TEST(GradientSum, IsTheSumOfTheRecordsCutGradients) {
  const Records sample = records(300);
  const Refinement at = somewhere();
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(kClasses, kDim);
  size_t cut = 0;
  for (size_t i = 0; i < 300; ++i) {
    const Eigen::MatrixXd one =
        gradient_by_hand(std::span(sample.values).subspan(i * kDim, kDim), static_cast<size_t>(sample.labels[i]), at);
    const double length = one.norm();
    cut += length > Refinement::kClip ? 1 : 0;
    expected += one * std::min(1.0, Refinement::kClip / length);
  }
  ASSERT_GT(cut, 50u);
  ASSERT_LT(cut, 299u);
  const std::vector<int64_t> sum = exact(sample, at);
  for (size_t c = 0; c < kClasses; ++c) {
    for (size_t k = 0; k < kDim; ++k) {
      // Each of 300 products of two truncated values is off by at most 2·kClip/4096.
      EXPECT_NEAR(static_cast<double>(sum[c * kDim + k]) * GradientSums::kUnit,
                  expected(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(k)), 300 * 2 * 0.5 / 4096);
    }
  }
}

// What the proof asks for, to the bit: a record moves the sum by the same integers whoever else is there and wherever
// it stands (all others move by one place where it comes first, over several blocks), and by a 2-norm of at most R².
TEST(GradientSum, MovesByOneRecordsOwnAndAtMostTheBound) {
  const Refinement at = somewhere();
  SeededRandom random(22);
  double longest = 0;
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<float> row(kDim);
    for (float& value : row) value = trial == 0 ? 0.0f : static_cast<float>(normal(random));
    if (trial == 0) row[3] = 9;
    const auto label = static_cast<int64_t>(random.next64() % kClasses);
    Records alone;
    alone.add(row, label, false);
    const std::vector<int64_t> own = exact(alone, at);
    for (const size_t others : {7u, 2100u}) {
      const Records without = records(others);
      const std::vector<int64_t> before = exact(without, at);
      for (const bool in_front : {false, true}) {
        Records with = without;
        with.add(row, label, in_front);
        const std::vector<int64_t> after = exact(with, at);
        for (size_t k = 0; k < own.size(); ++k) ASSERT_EQ(after[k] - before[k], own[k]) << trial << ' ' << others;
      }
    }
    double squares = 0;
    for (const int64_t value : own) squares += static_cast<double>(value) * static_cast<double>(value);
    EXPECT_LE(squares, kNorm * kNorm);
    longest = std::max(longest, squares);
    // Not cut it would be longer than the bound, or this test could not see that cutting is left out.
    if (squares > 0.9 * kNorm * kNorm) {
      EXPECT_GT(gradient_by_hand(row, static_cast<size_t>(label), at).norm(), Refinement::kClip);
    }
  }
  // Close to the bound, so noise made for less would be too small.
  EXPECT_GT(longest, 0.98 * kNorm * kNorm);
}

TEST(GradientSum, IsTheSameFromAnyNumberOfThreads) {
  const Records sample = records(3000);
  EXPECT_EQ(exact(sample, somewhere(), 1), exact(sample, somewhere(), 3));
}

TEST(GradientSum, StaysExactWithTheLargestWeights) {
  Refinement at = somewhere();
  SeededRandom random(23);
  std::vector<double> far(kClasses * kDim);
  for (double& value : far) value = 1e9 * normal(random);
  at.step(far);
  Records sample = records(1500);
  const std::vector<int64_t> before = exact(sample, at);
  sample.add(std::vector<float>(kDim, 1.0f), 0, true);
  Records alone;
  alone.add(std::vector<float>(kDim, 1.0f), 0, true);
  const std::vector<int64_t> after = exact(sample, at), own = exact(alone, at);
  for (size_t k = 0; k < own.size(); ++k) ASSERT_EQ(after[k] - before[k], own[k]);
}

TEST(GradientSum, HasTheNoiseOfItsBudget) {
  const Records sample = records(10);
  const Refinement at = somewhere();
  const std::vector<int64_t> sum = exact(sample, at);
  const Rational rho(1, 8);
  SeededRandom random(24);
  double squares = 0;
  constexpr int kReleases = 20;
  const Records held = sample;
  const PrivateData data = held.data();
  with_gradients(data, 1, [&](const GradientSums& gradients) {
    for (int i = 0; i < kReleases; ++i) {
      const auto released = gradients.release(at, AddRemoveBudget(Budget::unledgered(BudgetSpec::zcdp(rho))), random);
      EXPECT_EQ(*released.guarantee.rho, rho);
      for (size_t k = 0; k < sum.size(); ++k) {
        // clip·√(1/(2ρ)) = 1 here.
        const double noise = released.value[k] - static_cast<double>(sum[k]) * GradientSums::kUnit;
        squares += noise * noise;
      }
    }
    return 0;
  });
  // n = 2400 normal numbers of variance 1: their squares add up to 2400 with a standard deviation of 69. Outside five
  // of them (α < 1e-6) with noise for a bound that is 15% shorter: power > 0.99.
  const double n = kReleases * static_cast<double>(sum.size());
  EXPECT_NEAR(squares, n, 5 * std::sqrt(2 * n));
}

TEST(Refinement, StartsAtTheLiftedPrototypesAndKnowsTheSizes) {
  const Refinement at = somewhere();
  EXPECT_NEAR(at.offsets()[0], 0, 1e-12);
  EXPECT_NEAR(at.offsets()[1], std::log(0.5), 1e-12);
  EXPECT_NEAR(at.offsets()[4], std::log(0.01), 1e-12);  // no class is taken for smaller
  const std::vector<float> plain = at.prototypes(0), balanced = at.prototypes(0.1);
  for (size_t k = 0; k < kDim; ++k) {
    EXPECT_FLOAT_EQ(balanced[k], plain[k]);
    EXPECT_FLOAT_EQ(balanced[4 * kDim + k], plain[4 * kDim + k] * static_cast<float>(std::pow(0.01, -0.1)));
  }
}

TEST(Refinement, AStepGoesDownhill) {
  const Records sample = records(500);
  Refinement at = somewhere();
  const auto loss = [&] {
    double total = 0;
    for (size_t i = 0; i < 500; ++i) {
      const auto row = std::span(sample.values).subspan(i * kDim, kDim);
      const auto label = static_cast<Eigen::Index>(sample.labels[i]);
      // p_y from p − y, by the length of the row's share.
      const Eigen::MatrixXd gradient = gradient_by_hand(row, static_cast<size_t>(label), at);
      total -= std::log(1 - gradient.row(label).norm());
    }
    return total;
  };
  const double before = loss();
  for (int t = 0; t < 20; ++t) {
    std::vector<double> gradient;
    for (const int64_t value : exact(sample, at)) gradient.push_back(static_cast<double>(value) * GradientSums::kUnit);
    at.step(gradient);
  }
  EXPECT_LT(loss(), 0.8 * before);
}

// ---- As a whole

struct Task {
  std::vector<float> train, test, pool;
  std::vector<int64_t> train_labels, test_labels;
};
// Two classes whose means are close along one coordinate and which are wide along another: means point the wrong way,
// gradients find the border.
Task task() {
  SeededRandom random(25);
  Task result;
  const auto add = [&](std::vector<float>& to, double side) {
    for (size_t k = 0; k < kDim; ++k) {
      const double wide = k == 0 ? 1.0 : k == 1 ? 0.15 : 0.1;
      const double centre = k == 0 ? 0.4 * side : k == 1 ? 0.3 * side : k == 2 ? 1 : 0;
      to.push_back(static_cast<float>(centre + wide * normal(random)));
    }
  };
  for (int i = 0; i < 4000; ++i) {
    const int64_t label = i % 2;
    add(i < 2000 ? result.train : result.test, label == 0 ? -1 : 1);
    (i < 2000 ? result.train_labels : result.test_labels).push_back(label);
  }
  for (int i = 0; i < 500; ++i) add(result.pool, i % 2 == 0 ? -1 : 1);
  return result;
}

struct Fitted {
  double accuracy;
  Model model;
};
Fitted fitted(const Task& task, unsigned steps) {
  FitOptions options;
  Hyperparameters& how = options.hyperparameters;
  how.method = Method::mean;
  how.shrink = true;
  if (steps > 0) {
    how.refine_steps = steps;
    how.refine_share = Rational(1, 2);
    how.refine_rate = Rational(2, 3);
  }
  const PublicData pool = PublicData::from_memory(task.pool, kDim);
  const PrivateData data = PrivateData::from_memory(task.train, kDim, task.train_labels, ClassSet::numbered(2));
  SeededRandom random(26);
  Model model = fit(data, &pool, options, Budget::unledgered(BudgetSpec::zcdp(Rational(1, 2))), random);
  const PublicData test = PublicData::from_memory(task.test, kDim);
  const std::vector<int32_t> predicted = Classifier(model).predict(test.embeddings());
  double right = 0;
  for (size_t i = 0; i < predicted.size(); ++i) right += predicted[i] == task.test_labels[i] ? 1 : 0;
  return {right / static_cast<double>(task.test_labels.size()), std::move(model)};
}

TEST(Refinement, FindsTheBorderThatMeansMissAtTheSameCost) {
  const Task data = task();
  const Fitted plain = fitted(data, 0), refined = fitted(data, 30);
  EXPECT_LT(plain.accuracy, 0.88);
  EXPECT_GT(refined.accuracy, plain.accuracy + 0.05);
  EXPECT_EQ(*refined.model.guarantee.rho, Rational(1, 2));
  EXPECT_EQ(refined.model.hyperparameters.distance, Distance::dot);
  const Model again = parse_model(serialise_model(refined.model), "model");
  EXPECT_EQ(again.hyperparameters, refined.model.hyperparameters);
  EXPECT_EQ(again.prototypes, refined.model.prototypes);
  EXPECT_NE(describe_model(again).find("by 30 noisy gradients of all records, for 0.5 of the budget"),
            std::string::npos);
}

TEST(Refinement, RefusesWhatCannotWork) {
  const BudgetSpec budget = BudgetSpec::zcdp(1);
  Hyperparameters good;
  good.method = Method::mean;
  good.shrink = true;
  good.refine_steps = 10;
  good.refine_share = Rational(1, 2);
  good.refine_rate = 1;
  EXPECT_EQ(*price(good, budget).rho, 1);
  const auto refused = [&](const char* word, const auto& change) {
    Hyperparameters bad = good;
    change(bad);
    testing::expect_error<InvalidInput>([&] { price(bad, budget); }, {word});
  };
  refused("--refine-steps", [](Hyperparameters& how) { how.shrink = false; });
  refused("--refine-steps", [](Hyperparameters& how) { how.metric_share = Rational(1, 10); });
  refused("--refine-steps", [](Hyperparameters& how) { how.refine_steps = 100000; });
  refused("--refine-share", [](Hyperparameters& how) { how.refine_share = 1; });
  refused("--refine-share", [](Hyperparameters& how) { how.refine_share = 0; });
  refused("--refine-share", [](Hyperparameters& how) { how.refine_steps = 0; });
  refused("--refine-rate", [](Hyperparameters& how) { how.refine_rate = 0; });
  refused("--balance", [](Hyperparameters& how) { how.balance = 2; });
  // Gaussian noise has no pure guarantee.
  testing::expect_error<InvalidInput>([&] { price(good, BudgetSpec::pure(1)); }, {"pure"});
}

}  // namespace
}  // namespace dppl
