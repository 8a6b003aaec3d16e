#include "estimation/prototype_scaling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dppl/fit.h"
#include "random/simulation.h"
#include "tuning/pseudo_classes.h"

namespace dppl {
namespace {

constexpr size_t kDim = 16;

std::vector<double> direction(Random& random) {
  std::vector<double> result(kDim);
  double squares = 0;
  for (double& value : result) {
    value = normal(random);
    squares += value * value;
  }
  for (double& value : result) value /= std::sqrt(squares);
  return result;
}

double cosine(std::span<const double> a, std::span<const double> b) {
  double ab = 0, aa = 0, bb = 0;
  for (size_t k = 0; k < a.size(); ++k) {
    ab += a[k] * b[k];
    aa += a[k] * a[k];
    bb += b[k] * b[k];
  }
  return ab / std::sqrt(aa * bb);
}

// 60 places, each with 20 public rows close by.
struct Pool {
  std::vector<std::vector<double>> places;
  std::vector<float> rows;
};
Pool make_pool() {
  SeededRandom random(5);
  Pool pool;
  for (int p = 0; p < 60; ++p) pool.places.push_back(direction(random));
  for (const auto& place : pool.places) {
    for (int i = 0; i < 20; ++i) {
      double squares = 0;
      std::vector<double> row = place;
      for (double& value : row) {
        value += 0.05 * normal(random);
        squares += value * value;
      }
      for (const double value : row) pool.rows.push_back(static_cast<float>(value / std::sqrt(squares)));
    }
  }
  return pool;
}

TEST(PoolPosterior, FindsThePlaceThatNoiseHides) {
  const Pool pool = make_pool();
  const PoolPrior prior = PoolPrior::of(pool.rows, kDim, 2);
  ASSERT_EQ(prior.size(), 1200u);
  SeededRandom random(6);
  // Ten records against noise of 4 in every coordinate: the sum's cosine with the truth is about 10/(4·√16).
  constexpr double kRecords = 10, kSigma = 4;
  double raw = 0, shrunk = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const auto& truth = pool.places[random.next64() % pool.places.size()];
    std::vector<double> sum(kDim);
    for (size_t k = 0; k < kDim; ++k) sum[k] = kRecords * truth[k] + kSigma * normal(random);
    raw += cosine(sum, truth) / 200;
    shrunk += cosine(posterior(sum, kSigma, prior, 0.1, 1).means, truth) / 200;
  }
  // n = 200; a cosine varies by at most 0.5 about its mean, so the means are known to 0.04 each; the gap is over 0.1.
  EXPECT_LT(raw, 0.65);
  EXPECT_GT(shrunk, raw + 0.1);
}

TEST(PoolPosterior, FollowsASumThatIsClear) {
  const Pool pool = make_pool();
  const PoolPrior prior = PoolPrior::of(pool.rows, kDim, 1);
  SeededRandom random(7);
  const std::vector<double> elsewhere = direction(random);  // no public row is there
  std::vector<double> sum(kDim);
  for (size_t k = 0; k < kDim; ++k) sum[k] = 1000 * elsewhere[k];
  EXPECT_GT(cosine(posterior(sum, 1, prior, 1, 1).means, elsewhere), 0.999);
}

TEST(PoolPosterior, IsShortWhereNothingIsKnown) {
  const Pool pool = make_pool();
  const PoolPrior prior = PoolPrior::of(pool.rows, kDim, 1);
  SeededRandom random(8);
  std::vector<double> noise(kDim), clear(kDim);
  for (double& value : noise) value = 50 * normal(random);
  for (size_t k = 0; k < kDim; ++k) clear[k] = 500 * pool.places[0][k];
  const auto length = [](const std::vector<double>& v) {
    double squares = 0;
    for (const double x : v) squares += x * x;
    return std::sqrt(squares);
  };
  EXPECT_LT(2 * length(posterior(noise, 50, prior, 1, 1).means), length(posterior(clear, 1, prior, 1, 1).means));
}

TEST(PoolPosterior, DoesNotDependOnThreadsOrNeighbouringClasses) {
  const Pool pool = make_pool();
  const PoolPrior one = PoolPrior::of(pool.rows, kDim, 1), two = PoolPrior::of(pool.rows, kDim, 2);
  EXPECT_EQ(one.atoms, two.atoms);
  SeededRandom random(9);
  std::vector<double> sums(40 * kDim);
  for (double& value : sums) value = 5 * normal(random);
  EXPECT_EQ(posterior(sums, 3, one, 1, 1).means, posterior(sums, 3, one, 1, 2).means);
}

// ---- The second moment

struct Records {
  std::vector<float> values;
  std::vector<int64_t> labels;
  PrivateData data() const { return PrivateData::from_memory(values, kDim, labels, ClassSet::numbered(2)); }
};
Records records(size_t count) {
  SeededRandom random(10);
  Records result;
  for (size_t i = 0; i < count * kDim; ++i) result.values.push_back(static_cast<float>(normal(random)));
  for (size_t i = 0; i < count; ++i) result.labels.push_back(static_cast<int64_t>(i % 2));
  return result;
}

Released<SecondMoment> moment_of(const PrivateData& data, const Rational& rho, unsigned threads = 2) {
  const PublicTransform transform = PublicTransform::restore({}, kDim, {}, {});
  const PrivateAccess access(data);
  const Hyperparameters how;
  const std::function<void(double)> silent;
  SeededRandom random(11);
  return release_second_moment({access, 2, nullptr, transform, how, threads, silent},
                               AddRemoveBudget(Budget::unledgered(BudgetSpec::zcdp(rho))), random);
}

const Rational kHardlyAnyNoise = Rational(1000000000) * 1000000000;

TEST(SecondMoment, IsTheSumOfOuterProductsOfUnitRows) {
  const Records sample = records(50);
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(kDim, kDim);
  for (size_t i = 0; i < 50; ++i) {
    Eigen::VectorXd row(kDim);
    for (size_t k = 0; k < kDim; ++k)
      row(static_cast<Eigen::Index>(k)) = static_cast<double>(sample.values[i * kDim + k]);
    row.normalize();
    expected += row * row.transpose();
  }
  const auto released = moment_of(sample.data(), kHardlyAnyNoise);
  // Each of 50 rows is truncated by at most 1/4096 in every coordinate.
  EXPECT_LT((released.value.values - expected).cwiseAbs().maxCoeff(), 50 * 2.0 / 4096);
  EXPECT_EQ(released.value.values, moment_of(sample.data(), kHardlyAnyNoise, 1).value.values);
  EXPECT_EQ(*released.guarantee.rho, kHardlyAnyNoise);
}

// What the proof asks for: one record more moves the released upper triangle by a 2-norm of at most 1. A row along an
// axis comes close to it, so a noise made for less would be too small.
TEST(SecondMoment, MovesByAtMostOneForOneRecord) {
  const Records without = records(20);
  for (size_t kind = 0; kind < 3; ++kind) {
    Records with = without;
    for (size_t k = 0; k < kDim; ++k) {
      with.values.push_back(kind == 0 ? (k == 3 ? 7.0f : 0.0f) : kind == 1 ? 1.0f : static_cast<float>(k) - 3.3f);
    }
    with.labels.push_back(1);
    const Eigen::MatrixXd moved =
        moment_of(with.data(), kHardlyAnyNoise).value.values - moment_of(without.data(), kHardlyAnyNoise).value.values;
    double squares = 0;
    for (Eigen::Index i = 0; i < moved.rows(); ++i) {
      for (Eigen::Index j = i; j < moved.cols(); ++j) squares += moved(i, j) * moved(i, j);
    }
    EXPECT_LE(squares, 1 + 1e-6) << kind;
    if (kind == 0) {
      EXPECT_GT(squares, 0.99);
    }
  }
}

TEST(SecondMoment, HasTheNoiseOfItsBudget) {
  const Records none{{}, {}};
  const auto released = moment_of(none.data(), Rational(1, 2));
  EXPECT_NEAR(released.value.sigma, 1, 1e-6);  // √(1/(2ρ))
  double squares = 0;
  for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(kDim); ++i) {
    for (Eigen::Index j = i; j < static_cast<Eigen::Index>(kDim); ++j) {
      squares += released.value.values(i, j) * released.value.values(i, j);
    }
  }
  // n = 136 normal numbers of variance 1: a chi-square, outside 85 … 200 with probability below 1e-3; half the variance
  // would be outside with probability 0.97.
  EXPECT_GT(squares, 85);
  EXPECT_LT(squares, 200);
}

TEST(Shape, GivesUnitLengthAndLiftsTheUncertain) {
  const Pool pool = make_pool();
  const PoolPrior prior = PoolPrior::of(pool.rows, kDim, 1);
  SeededRandom random(12);
  std::vector<double> sums(2 * kDim);
  for (size_t k = 0; k < kDim; ++k) {
    sums[k] = 300 * pool.places[0][k];
    sums[kDim + k] = 5 * normal(random);
  }
  const auto lengths = [&](const Rational& lift) {
    Hyperparameters how;
    how.lift = lift;
    const auto prototypes = shape_prototypes(sums, 2, 5, how, &prior, nullptr, 1);
    std::vector<double> result(2);
    for (size_t i = 0; i < prototypes.size(); ++i) {
      result[i / kDim] += static_cast<double>(prototypes[i]) * static_cast<double>(prototypes[i]);
    }
    return result;
  };
  for (const double squares : lengths(0)) EXPECT_NEAR(squares, 1, 1e-5);
  EXPECT_GT(lengths(Rational(1, 5))[1], 1.05 * lengths(Rational(1, 5))[0]);
}

TEST(Shape, AMetricThatIsAllNoiseChangesLittle) {
  SeededRandom random(13);
  std::vector<double> sums(3 * kDim);
  for (double& value : sums) value = normal(random);
  SecondMoment moment{Eigen::MatrixXd::Zero(kDim, kDim), 10};
  for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(kDim); ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) moment.values(i, j) = moment.values(j, i) = 10 * normal(random);
  }
  const auto plain = shape_prototypes(sums, 3, 1, {}, nullptr, nullptr, 1);
  const auto seen = shape_prototypes(sums, 3, 1, {}, nullptr, &moment, 1);
  for (size_t c = 0; c < 3; ++c) {
    const std::vector<double> a(plain.begin() + static_cast<std::ptrdiff_t>(c * kDim),
                                plain.begin() + static_cast<std::ptrdiff_t>((c + 1) * kDim));
    const std::vector<double> b(seen.begin() + static_cast<std::ptrdiff_t>(c * kDim),
                                seen.begin() + static_cast<std::ptrdiff_t>((c + 1) * kDim));
    EXPECT_GT(cosine(a, b), 0.9);
  }
}

}  // namespace
}  // namespace dppl
