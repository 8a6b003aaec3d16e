#include "dppl/fit.h"

#include <gtest/gtest.h>
#include <sodium.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dppl/classify.h"
#include "dppl/error.h"
#include "estimation/centre.h"
#include "estimation/class_size_estimate.h"
#include "estimation/pool_posterior.h"
#include "kernels/cpu_testing.h"
#include "methods/method.h"
#include "methods/release.h"
#include "rows/private_access.h"
#include "statistics/pair_scores/score_reference.h"
#include "statistics/weighted_total/weighted_total.h"
#include "support/expect_error.h"
#include "support/labelled_sample.h"
#include "support/selection_laws.h"
#include "support/statistics.h"

namespace dppl {
namespace {

using testing::data_of;
using testing::kDim;
using testing::random_rows;
using testing::Sample;
using testing::sample;
PublicData pool() { return PublicData::from_memory(random_rows(60, 2), kDim); }

FitOptions options(const Settings& settings, const char* transform = "none", unsigned threads = 2) {
  return {.settings = with_transform(settings, TransformSpec::parse(transform)), .threads = threads};
}
const Settings kMean = MeanSettings{}, kPublic = PublicSettings{}, kPublicK = PublicKSettings{.k = 3},
               kAuto = AutoSettings{};
Budget zcdp(const Rational& rho) { return Budget::unledgered(BudgetSpec::zcdp(rho)); }

std::string digest_of(const std::string& bytes) {
  unsigned char hash[16];
  crypto_generichash(hash, sizeof hash, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr, 0);
  char text[33];
  sodium_bin2hex(text, sizeof text, hash, sizeof hash);
  return text;
}

std::string fitted_bytes(const FitOptions& fit_options, const Sample& from = sample(), uint64_t seed = 7) {
  const PublicData public_pool = pool();
  SeededRandom random(seed);
  return serialise_model(fit(data_of(from), public_pool, fit_options, zcdp(Rational(1, 2)), random));
}

const Settings kCentred =
    MeanSettings{.center_share = Rational(1, 20), .shrinkage = Shrinkage{}, .extra = GradientSteps{.steps = 3}};
const std::pair<Settings, const char*> kKinds[] = {
    {kMean, "none"},   {kMean, "center"},     {kMean, "pca:5"},     {kMean, "whiten:5"},
    {kPublic, "none"}, {kPublic, "whiten:5"}, {kPublicK, "center"}, {kCentred, "whiten:5:0.2"},
};

TEST(Fit, BytesDoNotDependOnThreadsOrInstructions) {
  const CpuLevel best = cpu_level();
  for (const auto& [settings, transform] : kKinds) {
    const std::string first = fitted_bytes(options(settings, transform, 1));
    for (const unsigned threads : {2u, 3u, 7u})
      EXPECT_EQ(fitted_bytes(options(settings, transform, threads)), first) << transform;
    if (best != CpuLevel::portable) {
      force_cpu_level(CpuLevel::portable);
      EXPECT_EQ(fitted_bytes(options(settings, transform)), first) << transform;
      unforce_cpu_level();
    }
  }
}

// Golden: seeded models of tiny data, without eigenvectors. A change here changes what every user's seeded experiments
// give.
TEST(Fit, GoldenModels) {
  EXPECT_EQ(digest_of(fitted_bytes(options(kMean))), "4f99d7ffe3d7f41e2d82be7cc6c05076");
  EXPECT_EQ(digest_of(fitted_bytes(options(kMean, "center"))), "0a05b45e6cd2b3ecf318edc656d69073");
  EXPECT_EQ(digest_of(fitted_bytes(options(kPublic))), "ee97183b14d3ff52c8f81dedb4076c60");
  EXPECT_EQ(digest_of(fitted_bytes(options(kPublicK))), "8b756d43ad8d96f1be21e56a1d086d9d");
}

TEST(Fit, TheOrderOfRecordsDoesNotMatter) {
  const Sample original = sample();
  Sample shuffled = original;
  std::vector<size_t> order(original.labels.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::reverse(order.begin() + 3, order.end());
  for (size_t i = 0; i < order.size(); ++i) {
    shuffled.labels[i] = original.labels[order[i]];
    std::copy_n(original.values.begin() + static_cast<std::ptrdiff_t>(order[i] * kDim), kDim,
                shuffled.values.begin() + static_cast<std::ptrdiff_t>(i * kDim));
  }
  for (const auto& [settings, transform] : kKinds) {
    EXPECT_EQ(fitted_bytes(options(settings, transform), shuffled),
              fitted_bytes(options(settings, transform), original))
        << transform;
  }
}

TEST(Fit, AClassWithoutRecordsAndADataSetWithoutRecordsFit) {
  const PublicData public_pool = pool();
  SecureRandom random;
  for (const auto& [settings, transform] : kKinds) {
    const Model model = fit(data_of(sample()), public_pool, options(settings, transform), zcdp(1), random);
    EXPECT_EQ(model.prototypes.size(), 3 * model.prototypes_per_class * model.output_dim());
    EXPECT_TRUE(model.guarantee.is_private);
    EXPECT_NO_THROW(fit(data_of({}), public_pool, options(settings, transform), zcdp(1), random));
  }
}

// DPPL-Public on a small pool has the law exp(ε·u/M), with u from the reference kernel. n = 20,000, α = 1e-6.
TEST(Fit, PublicPrototypesHaveTheExponentialLaw) {
  const PublicData public_pool = PublicData::from_memory(random_rows(6, 3), kDim);
  Sample few = sample(9);
  const ScoreClip clip{Rational(4, 5), Rational(6, 5)};
  for (const size_t k : {1u, 2u}) {
    const FitOptions fit_options = options(
        k == 1 ? Settings(PublicSettings{.clip = clip}) : Settings(PublicKSettings{.clip = clip, .k = k}), "none", 1);
    const PrivateData data = data_of(few);
    std::vector<int64_t> scores(6);
    QuantisedRows members(5, kDim), candidates(6, kDim);
    for (size_t i = 0; i < 5; ++i) members.set(i, std::span(few.values).subspan(2 * i * kDim, kDim));  // class 0
    for (size_t i = 0; i < 6; ++i) candidates.set(i, std::span<const float>(random_rows(6, 3)).subspan(i * kDim, kDim));
    const ScoreRange range = ScoreRange::of(clip.min, clip.max);
    for (size_t j = 0; j < 6; ++j) {
      for (size_t i = 0; i < 5; ++i) scores[j] += score_reference(members, i, candidates, j, range);
      scores[j] = range.total(scores[j]);
    }

    const auto sets = testing::subsets(6, k);
    const auto law = testing::joint_top_k_law(k)(scores, 1.5, range.per_record());
    SeededRandom random(31);
    uint64_t run = 0;
    const auto counts = testing::count_draws(20000, sets.size(), [&] {
      Random fresh = random.stream(run++);
      const Model model =
          fit(data, public_pool, fit_options, Budget::unledgered(BudgetSpec::pure(Rational(3, 2))), fresh);
      const std::vector<size_t> chosen(model.pool_indices.begin(),
                                       model.pool_indices.begin() + static_cast<std::ptrdiff_t>(k));
      return static_cast<size_t>(std::find(sets.begin(), sets.end(), chosen) - sets.begin());
    });
    EXPECT_GT(testing::chi_square_p_value(counts, law), testing::kAlpha);
    const auto wrong = testing::joint_top_k_law(k)(scores, 3, range.per_record());
    EXPECT_LT(testing::chi_square_p_value(counts, wrong), testing::kAlpha) << "no power";
  }
}

TEST(Fit, EveryMethodClassifiesWellSeparatedClasses) {
  const Sample train = sample(400);
  const PublicData public_pool = PublicData::from_memory(sample(60).values, kDim);
  SecureRandom random;
  std::vector<FitOptions> ways{options(kMean), options(kMean, "center"), options(kPublic), options(kPublicK),
                               options(kAuto)};
  for (const FitOptions& way : ways) {
    const PrivateData data = PrivateData::from_memory(train.values, kDim, train.labels, ClassSet::numbered(2));
    const Model model = fit(data, public_pool, way, zcdp(2), random);
    const Embeddings rows = Embeddings::from_memory(sample(50).values, kDim);
    const auto predicted = Classifier(model).predict(rows);
    Classifier(model, 3).score(rows,
                               [&](uint64_t first, std::span<const float> scores, std::span<const int32_t> nearest) {
                                 EXPECT_EQ(scores.size(), nearest.size() * 2);
                                 for (size_t i = 0; i < nearest.size(); ++i)
                                   EXPECT_EQ(nearest[i], predicted[first + i]);
                               });
    size_t right = 0;
    for (size_t i = 0; i < predicted.size(); ++i) right += predicted[i] == static_cast<int32_t>(i % 2);
    // 50 rows; guessing gets 25. Whitening (auto) gives the 23 directions of noise as much weight as the one that
    // matters.
    EXPECT_GE(right, 42u) << method_name(model.settings);
  }
}

TEST(Fit, PriceIsWhatIsSpent) {
  const PublicData public_pool = pool();
  SecureRandom random;
  for (const auto& [settings, transform] : kKinds) {
    for (const BudgetSpec& spec :
         {BudgetSpec::zcdp(Rational(1, 50)), BudgetSpec::approximate(1, Rational(1, 100000))}) {
      const FitOptions fit_options = options(settings, transform);
      const Guarantee promised = price(resolve(fit_options.settings, spec, public_pool), spec);
      EXPECT_EQ(fit(data_of(sample()), public_pool, fit_options, Budget::unledgered(spec), random).guarantee, promised);
      EXPECT_LE(promised.replace_one().rho.value_or(0), 4 * *promised.rho);
    }
  }
}

TEST(Fit, RefusesBeforeTheBudgetIsTouched) {
  const PublicData public_pool = pool(), other = PublicData::from_memory(random_rows(5, 1, 7), 7);
  const PrivateData data = data_of(sample());
  const auto refused = [&](FitOptions fit_options, const BudgetSpec& spec, const std::optional<PublicData>& which) {
    EXPECT_THROW(FitPlan(data, which, fit_options, spec), InvalidInput);
  };
  const BudgetSpec rho = BudgetSpec::zcdp(1), pure = BudgetSpec::pure(1);
  refused(options(kMean), pure, public_pool);
  refused(options(kPublic), rho, {});
  refused(options(kPublic), rho, other);
  refused(options(kMean, "whiten:3"), rho, {});
  refused(options(kMean, "whiten:3"), rho, other);
  refused(options(kMean, "whiten:25"), rho, public_pool);
  refused(options(kAuto), pure, {});
  refused(options(kPublic), BudgetSpec::pure(1, Relation::replace_in_class), public_pool);
  refused(options(PublicKSettings{.k = 61}), rho, public_pool);
  refused(options(PublicKSettings{.k = 0}), rho, public_pool);
  refused(options(PublicSettings{.clip = {1, 1}}), rho, public_pool);
  refused(options(kMean, "average:25"), rho, {});
  refused(options(MeanSettings{.extra = SecondMomentMetric{1}}), rho, {});
  refused(options(MeanSettings{.shrinkage = Shrinkage{}}), rho, {});
  refused(options(MeanSettings{.shrinkage = Shrinkage{.lift = 2}}), rho, public_pool);
  refused(options(MeanSettings{.extra = GradientSteps{}}), rho, public_pool);  // they start at shrunk sums
}

// A pool that hardly varies: whitening by its full variance multiplies so much that a record becomes infinite.
std::vector<float> hardly_varying_rows() {
  std::vector<float> values;
  for (size_t i = 0; i < 1000; ++i) {
    const float sign = i % 2 == 0 ? 1.0f : -1.0f;
    values.insert(values.end(), {1, sign * 3.3e-20f, sign * -3.3e-20f});
  }
  return values;
}

TEST(Fit, RefusesAPoolThatMakesRecordsInfinite) {
  const PublicData evil = PublicData::from_memory(hardly_varying_rows(), 3);
  const PrivateData data = PrivateData::from_memory({0, 1, -1, 0, 1, 1}, 3, {0, 1}, ClassSet::numbered(2));
  testing::expect_error<InvalidInput>(
      [&] { FitPlan(data, evil, options(kMean, "whiten:1:1"), BudgetSpec::zcdp(Rational(1, 50))); },
      {"could become infinite"});
  const float inf = std::numeric_limits<float>::infinity(), big = 1e38f;
  const TransformSpec whiten = TransformSpec::parse("whiten:1");
  for (const float value : {inf, std::numeric_limits<float>::quiet_NaN(), big}) {
    EXPECT_THROW(PublicTransform::restore(whiten, 2, {0, 0}, {value, 1}), InvalidInput);
    EXPECT_THROW(PublicTransform::restore(whiten, 2, {value, 0}, {1, 1}), InvalidInput);
  }
  PublicTransform::restore(whiten, 2, {1, 0}, {1e20f, 1});
}

// It says so, and buys no class sizes that it has no use for.
TEST(Fit, AutoSaysWhenThereIsNothingToChooseBy) {
  std::vector<float> same(3 * 1000, 1.0f);
  const PublicData uniform = PublicData::from_memory(std::move(same), 3);
  const PrivateData data = PrivateData::from_memory({0, 1, -1, 0, 1, 1}, 3, {0, 1}, ClassSet::numbered(2));
  for (const BudgetSpec& spec : {BudgetSpec::zcdp(Rational(1, 50)), BudgetSpec::pure(1)}) {
    const FitPlan plan(data, uniform, options(kAuto), spec);
    EXPECT_EQ(plan.settings(), spec.notion == Notion::pure ? kPublic : kMean);
    EXPECT_NE(plan.plain_because().find("the same"), std::string::npos) << plan.plain_because();
    SeededRandom random(1);
    EXPECT_EQ(plan.run(Budget::unledgered(spec), random).size_share, 0);
  }
}

// The second of two fits whose released sizes are the same sees the same weights, whatever the true sizes are.
TEST(Fit, TheCentreDependsOnReleasedSizesOnly) {
  const std::vector<int64_t> noisy{70, 9, 31};
  const std::vector<int64_t> weights = centre_weights(estimate_class_sizes(noisy, 4), kFullWeight);
  const PublicData public_pool = pool();
  const PublicTransform transform = PublicTransform::compute(TransformSpec::parse("whiten:5"), kDim, public_pool);
  const MeanSettings settings{.transform = transform.spec(), .center_share = Rational(1, 2), .shrinkage = Shrinkage{}};
  for (const size_t records : {0u, 40u, 90u}) {
    const PrivateData data = data_of(sample(records));
    const PrivateAccess access(data);
    std::vector<int64_t> released;
    const FitOptions fit_options{.settings = settings, .released = [&](const Release& release) {
                                   EXPECT_NE(release.what, "class sizes") << "they were bought before";
                                   if (release.what == "centre")
                                     released.assign(release.values.begin(), release.values.end());
                                 }};
    const FitInput input{
        {access, 3, transform, 1}, public_pool, fit_options, {}, NoisySizes{noisy, 4, Guarantee::zcdp(0)}};
    SeededRandom random(4);
    // A budget so large that the noise is below half of the integers' unit in nearly every coordinate.
    fit_prototypes(settings, input, CheckedBudget(zcdp(Rational(mpz_class(1) << 40)), access), random);
    const double clip = PoolPrior::of(public_pool, transform, 1).row_length;
    const std::vector<int64_t> exact = weighted_total({access, 3, transform}, weights, clip).values;
    ASSERT_EQ(released.size(), exact.size());
    for (size_t k = 0; k < exact.size(); ++k) EXPECT_LE(std::abs(released[k] - exact[k]), 1) << records;
  }
}

// Wider noise than the samplers draw: found while it costs nothing.
TEST(Fit, RefusesBudgetsThatNoNoiseCanServe) {
  const PrivateData data = data_of(sample());
  const PublicData public_pool = pool(), large = PublicData::from_memory(random_rows(1200, 8), kDim);
  const std::vector<FitOptions> ways{
      options(kMean), options(MeanSettings{.extra = SecondMomentMetric{Rational(1, 1000)}}),
      options(MeanSettings{.shrinkage = Shrinkage{},
                           .extra = GradientSteps{.steps = 1000, .share = Rational(1, 1000), .rate = 1}}),
      options(PublicSettings{.mechanism = SelectionMechanism::laplace}), options(kAuto)};
  for (size_t i = 0; i < ways.size(); ++i) {
    const bool automatic = i == 4;
    for (int exponent = 1; exponent < 40; exponent += 3) {
      const Rational amount = Rational(1) / Rational(mpz_class("1" + std::string(static_cast<size_t>(exponent), '0')));
      for (const BudgetSpec& spec : {BudgetSpec::zcdp(amount), BudgetSpec::pure(amount)}) {
        if (spec.notion == Notion::pure && i < 3) continue;
        const PublicData& which = automatic ? large : public_pool;
        SeededRandom random(1);
        try {
          const FitPlan plan(data, which, ways[i], spec);
          // The tuner is not what is tried here, and takes its time.
          if (!automatic) {
            EXPECT_NO_THROW(plan.run(Budget::unledgered(spec), random)) << i << " " << exponent;
          }
          EXPECT_LT(exponent, 31) << i;
        } catch (const InvalidInput& error) {
          EXPECT_NE(std::string(error.what()).find("too small a budget"), std::string::npos) << error.what();
          EXPECT_GT(exponent, 3) << i;
        }
      }
    }
  }
}

// A choice that is private under another relation, smuggled in where a fit under add-remove runs it.
TEST(Fit, AnEstimatorOfAnotherRelationCannotRun) {
  SeededRandom random(1);
  const BudgetSpec other = BudgetSpec::zcdp(1, Relation::replace_in_class);
  const PrivateData data = data_of(sample());
  EXPECT_THROW(CheckedBudget(Budget::unledgered(other), PrivateAccess(data)), InvalidInput);
  EXPECT_THROW(price(kMean, other), InvalidInput);
  EXPECT_THROW(fit(data_of(sample()), {}, options(kMean), Budget::unledgered(other), random), InvalidInput);
  BoundedSum sums{std::vector<int64_t>(4), {4, Relation::replace_in_class}};
  EXPECT_THROW(release_class_sums(sums, 2, zcdp(1), FitStreams(random, 2), 1), InvalidInput);
  EXPECT_EQ(sums.values, std::vector<int64_t>(4));
}

// Selection takes any number of records: to be refused at one would tell how many there are.
TEST(Fit, SelectionHasNoLargestNumberOfRecords) {
  const size_t records = (size_t{1} << 19) + 1;
  std::vector<float> values(2 * records, 1);
  const PrivateData data =
      PrivateData::from_memory(std::move(values), 2, std::vector<int64_t>(records), ClassSet::numbered(1));
  const PublicData two = PublicData::from_memory({1, 1, 1, -1}, 2);
  SeededRandom random(2);
  for (const Settings& settings : {kPublic, Settings(PublicKSettings{.k = 1})}) {
    const Model model = fit(data, two, options(settings), Budget::unledgered(BudgetSpec::pure(1)), random);
    EXPECT_EQ(model.pool_indices, std::vector<uint64_t>{0});
  }
}

// Exact scores are as private as the records: only runs that protect nobody anyway may hand them out.
TEST(Fit, SharesScoresBetweenSeededRunsOnly) {
  const PrivateData data = data_of(sample());
  const PublicData pool = PublicData::from_memory(sample().values, kDim);
  const SharedFits shared{.scores = std::make_shared<std::vector<std::vector<int64_t>>>()};
  const BudgetSpec budget = BudgetSpec::pure(1);
  const FitPlan plan = plan_fit(data, pool, options(kPublic), budget, shared);
  SecureRandom secure;
  testing::expect_error<InvalidInput>([&] { plan.run(Budget::unledgered(budget), secure); }, {"seeded runs only"});
  EXPECT_TRUE(shared.scores->empty());
  SeededRandom seeded(1);
  EXPECT_FALSE(plan.run(Budget::unledgered(budget), seeded).guarantee.is_private);
}

}  // namespace
}  // namespace dppl
