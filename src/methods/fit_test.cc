#include "dppl/fit.h"

#include <gtest/gtest.h>
#include <sodium.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dppl/classify.h"
#include "dppl/error.h"
#include "kernels/cpu_testing.h"
#include "kernels/row_math.h"
#include "rows/integer_row.h"
#include "rows/private_access.h"
#include "statistics/class_sums/class_sums.h"
#include "statistics/pair_scores/score_reference.h"
#include "support/expect_error.h"
#include "support/selection_laws.h"
#include "support/statistics.h"

namespace dppl {
namespace {

constexpr size_t kDim = 24;

std::vector<float> random_rows(size_t count, uint64_t seed, size_t dim = kDim) {
  SeededRandom random(seed);
  std::vector<float> values(count * dim);
  for (float& value : values) value = static_cast<float>(static_cast<int64_t>(random.next64()) >> 20) * 0x1p-40f;
  return values;
}

// Class c lies around coordinate c. 3 declared classes, the last one without a record.
struct Sample {
  std::vector<float> values;
  std::vector<int64_t> labels;
};
Sample sample(size_t records = 40) {
  Sample result{random_rows(records, 1), {}};
  for (size_t i = 0; i < records; ++i) {
    result.labels.push_back(static_cast<int64_t>(i % 2));
    result.values[i * kDim + i % 2] += 100;
  }
  return result;
}
PrivateData data_of(const Sample& sample) {
  return PrivateData::from_memory(sample.values, kDim, sample.labels, ClassSet::numbered(3));
}
PublicData pool() { return PublicData::from_memory(random_rows(60, 2), kDim); }

FitOptions options(Method method, const char* transform = "none", unsigned threads = 2) {
  FitOptions result;
  result.hyperparameters.method = method;
  result.hyperparameters.transform = TransformSpec::parse(transform);
  if (method == Method::public_k) result.hyperparameters.k = 3;
  result.threads = threads;
  return result;
}
Budget zcdp(const Rational& rho) { return Budget::unledgered(BudgetSpec::zcdp(rho)); }

std::string digest_of(const std::string& bytes) {
  unsigned char hash[16];
  crypto_generichash(hash, sizeof hash, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr, 0);
  char text[33];
  sodium_bin2hex(text, sizeof text, hash, sizeof hash);
  return text;
}

std::string fitted_bytes(const FitOptions& how, const Sample& from = sample(), uint64_t seed = 7) {
  const PublicData public_pool = pool();
  SeededRandom random(seed);
  return serialise_model(fit(data_of(from), &public_pool, how, zcdp(Rational(1, 2)), random));
}

const std::pair<Method, const char*> kKinds[] = {{Method::mean, "none"},       {Method::mean, "center"},
                                                 {Method::mean, "pca:5"},      {Method::mean, "whiten:5"},
                                                 {Method::public_one, "none"}, {Method::public_one, "whiten:5"},
                                                 {Method::public_k, "center"}};

TEST(Fit, BytesDoNotDependOnThreadsOrInstructions) {
  const CpuLevel best = cpu_level();
  for (const auto& [method, transform] : kKinds) {
    const std::string first = fitted_bytes(options(method, transform, 1));
    for (const unsigned threads : {2u, 3u, 7u})
      EXPECT_EQ(fitted_bytes(options(method, transform, threads)), first) << transform;
    if (best != CpuLevel::portable) {
      force_cpu_level(CpuLevel::portable);
      EXPECT_EQ(fitted_bytes(options(method, transform)), first) << transform;
      unforce_cpu_level();
    }
  }
}

// Golden: seeded models of tiny data, without eigenvectors. A change here changes what every user's seeded experiments
// give.
TEST(Fit, GoldenModels) {
  EXPECT_EQ(digest_of(fitted_bytes(options(Method::mean))), "4f99d7ffe3d7f41e2d82be7cc6c05076");
  EXPECT_EQ(digest_of(fitted_bytes(options(Method::mean, "center"))), "0a05b45e6cd2b3ecf318edc656d69073");
  EXPECT_EQ(digest_of(fitted_bytes(options(Method::public_one))), "ee97183b14d3ff52c8f81dedb4076c60");
  EXPECT_EQ(digest_of(fitted_bytes(options(Method::public_k))), "8b756d43ad8d96f1be21e56a1d086d9d");
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
  for (const auto& [method, transform] : kKinds) {
    EXPECT_EQ(fitted_bytes(options(method, transform), shuffled), fitted_bytes(options(method, transform), original))
        << transform;
  }
}

TEST(Fit, AClassWithoutRecordsAndADataSetWithoutRecordsFit) {
  const PublicData public_pool = pool();
  SecureRandom random;
  for (const auto& [method, transform] : kKinds) {
    const Model model = fit(data_of(sample()), &public_pool, options(method, transform), zcdp(1), random);
    EXPECT_EQ(model.prototypes.size(), 3 * model.prototypes_per_class * model.output_dim());
    EXPECT_TRUE(model.guarantee.is_private);
    EXPECT_NO_THROW(fit(data_of({}), &public_pool, options(method, transform), zcdp(1), random));
  }
}

// The bound that the noise is made for: thousands of rows, extreme ones included.
int64_t sum_of_squares(const std::vector<int32_t>& row) {
  int64_t sum = 0;
  for (const int32_t value : row) sum += int64_t{value} * value;
  return sum;
}

TEST(IntegerRow, NeverExceedsTheRadius) {
  const float big = std::numeric_limits<float>::max(), tiny = std::numeric_limits<float>::denorm_min();
  std::vector<int32_t> out(kDim);
  for (uint64_t i = 0; i < 5000; ++i) {
    auto row = random_rows(1, 100 + i);
    if (i % 9 == 0) row.assign(kDim, big);
    if (i % 9 == 1) row.assign(kDim, tiny);
    if (i % 9 == 2) row[i % kDim] = big;
    if (i % 9 == 3) row.assign(kDim, 0), row[i % kDim] = -1;
    if (i % 9 == 4) row.assign(kDim, 1.0f / 3);
    for (const double clip : {0.0, 1e-3, 1.0, 1e30}) {
      integer_row(row, clip, out);
      EXPECT_LE(sum_of_squares(out), kRadius * kRadius) << i << " " << clip;
    }
    integer_row(row, 0, out);
    // And it is no shorter than truncation makes it.
    EXPECT_GE(std::sqrt(static_cast<double>(sum_of_squares(out))), static_cast<double>(kRadius) - std::sqrt(kDim) - 1);
  }
  std::vector<float> zeros(kDim);
  integer_row(zeros, 0, out);
  EXPECT_EQ(sum_of_squares(out), 0);
}

// One record more moves only its class's sum, by its own integer row: no other record's integers change.
TEST(ClassSums, OneRecordMovesTheSumByItsOwnRow) {
  const PublicData public_pool = pool();
  for (const char* transform : {"none", "center", "whiten:5"}) {
    const auto how = options(Method::mean, transform);
    const PublicTransform rows = PublicTransform::compute(how.hyperparameters.transform, kDim, &public_pool);
    const auto sums_of = [&](const Sample& from) {
      const PrivateData data = data_of(from);
      const PrivateAccess access(data);
      return class_sums({access, 3, &public_pool, rows, how.hyperparameters, 2, how.progress}, 0);
    };
    for (size_t records : {0u, 3u, 255u, 256u, 300u}) {
      Sample before = sample(records), after = before;
      const auto extra = random_rows(1, 999 + records);
      after.values.insert(after.values.begin(), extra.begin(),
                          extra.end());  // in front: every other row moves by one place
      after.labels.insert(after.labels.begin(), 2);
      const ClassSums a = sums_of(before), b = sums_of(after);
      const size_t dim = rows.output_dim();
      std::vector<float> transformed(dim);
      std::vector<int32_t> integers(dim);
      rows.apply(extra, transformed);
      integer_row(transform == std::string("none") ? std::span<const float>(extra) : transformed, 0, integers);
      for (size_t i = 0; i < 3 * dim; ++i) {
        EXPECT_EQ(b.sums[i] - a.sums[i], i < 2 * dim ? 0 : integers[i - 2 * dim]) << transform << " " << records;
      }
      EXPECT_EQ(b.counts[2], a.counts[2] + 1);
    }
  }
}

// DPPL-Public on a small pool has the law exp(ε·u/M), with u from the reference kernel. n = 20,000, α = 1e-6.
TEST(Fit, PublicPrototypesHaveTheExponentialLaw) {
  const PublicData public_pool = PublicData::from_memory(random_rows(6, 3), kDim);
  Sample few = sample(9);
  for (const Method method : {Method::public_one, Method::public_k}) {
    FitOptions how = options(method, "none", 1);
    how.hyperparameters.k = method == Method::public_k ? 2 : 1;
    how.hyperparameters.clip_min = Rational(4, 5);
    how.hyperparameters.clip_max = Rational(6, 5);
    const PrivateData data = data_of(few);
    std::vector<int64_t> scores(6);
    QuantisedRows members(5, kDim), candidates(6, kDim);
    for (size_t i = 0; i < 5; ++i) members.set(i, std::span(few.values).subspan(2 * i * kDim, kDim));  // class 0
    for (size_t i = 0; i < 6; ++i) candidates.set(i, std::span<const float>(random_rows(6, 3)).subspan(i * kDim, kDim));
    const ScoreRange range = ScoreRange::of(how.hyperparameters.clip_min, how.hyperparameters.clip_max);
    for (size_t j = 0; j < 6; ++j) {
      for (size_t i = 0; i < 5; ++i) scores[j] += score_reference(members, i, candidates, j, range);
      scores[j] = range.total(scores[j]);
    }

    const auto sets = testing::subsets(6, how.hyperparameters.k);
    const auto law = testing::joint_top_k_law(how.hyperparameters.k)(scores, 1.5, range.per_record());
    SeededRandom random(31);
    uint64_t run = 0;
    const auto counts = testing::count_draws(20000, sets.size(), [&] {
      Random fresh = random.stream(run++);
      const Model model = fit(data, &public_pool, how, Budget::unledgered(BudgetSpec::pure(Rational(3, 2))), fresh);
      const std::vector<size_t> chosen(model.pool_indices.begin(),
                                       model.pool_indices.begin() + static_cast<std::ptrdiff_t>(how.hyperparameters.k));
      return static_cast<size_t>(std::find(sets.begin(), sets.end(), chosen) - sets.begin());
    });
    EXPECT_GT(testing::chi_square_p_value(counts, law), testing::kAlpha);
    const auto wrong = testing::joint_top_k_law(how.hyperparameters.k)(scores, 3, range.per_record());
    EXPECT_LT(testing::chi_square_p_value(counts, wrong), testing::kAlpha) << "no power";
  }
}

TEST(Fit, EveryMethodClassifiesWellSeparatedClasses) {
  const Sample train = sample(400);
  const PublicData public_pool = PublicData::from_memory(sample(60).values, kDim);
  SecureRandom random;
  std::vector<FitOptions> ways{options(Method::mean), options(Method::mean, "center"), options(Method::public_one),
                               options(Method::public_k), options(Method::automatic)};
  ways.push_back(options(Method::mean));
  ways.back().hyperparameters.distance = Distance::euclidean;
  ways.push_back(options(Method::mean));
  ways.back().hyperparameters.norm = Rational(100);
  for (const FitOptions& way : ways) {
    const PrivateData data = PrivateData::from_memory(train.values, kDim, train.labels, ClassSet::numbered(2));
    const Model model = fit(data, &public_pool, way, zcdp(2), random);
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
    EXPECT_GE(right, 42u) << to_string(model.hyperparameters.method);
  }
}

TEST(Fit, ThePapersEstimatorsTakeCountsAsPublic) {
  SecureRandom random;
  FitOptions how = options(Method::mean);
  const PrivateData data = data_of(sample());
  const auto replace = [](const Rational& rho) {
    return Budget::unledgered(BudgetSpec::zcdp(rho, Relation::replace_in_class));
  };
  EXPECT_THROW(fit(data, nullptr, how, replace(1), random), InvalidInput);
  for (const Estimator estimator : {Estimator::naive, Estimator::coinpress}) {
    how.hyperparameters.estimator = estimator;
    EXPECT_THROW(fit(data, nullptr, how, zcdp(1), random), InvalidInput);
    const Model model = fit(data, nullptr, how, replace(50), random);
    EXPECT_EQ(model.guarantee.relation, Relation::replace_in_class);
    EXPECT_LE(*model.guarantee.rho, Rational(50));
    EXPECT_EQ(Classifier(model).predict(Embeddings::from_memory(sample(2).values, kDim)), (std::vector<int32_t>{0, 1}));
  }
  how.hyperparameters.estimator = Estimator::naive;
  const Model naive = fit(data, nullptr, how, replace(Rational(1, 2)), random);
  EXPECT_EQ(naive.noise_variance,
            Rational(4 * kRadius * kRadius));  // (2R)²/(2ρ): twice the noise of the sum's own bound
  EXPECT_EQ(naive.counts, (std::vector<int64_t>{20, 20, 0}));
}

TEST(Fit, PriceIsWhatIsSpent) {
  const PublicData public_pool = pool();
  SecureRandom random;
  for (const auto& [method, transform] : kKinds) {
    for (const BudgetSpec& spec :
         {BudgetSpec::zcdp(Rational(1, 50)), BudgetSpec::approximate(1, Rational(1, 100000))}) {
      const FitOptions how = options(method, transform);
      const Guarantee promised = price(resolve(how.hyperparameters, spec, &public_pool), spec);
      EXPECT_EQ(fit(data_of(sample()), &public_pool, how, Budget::unledgered(spec), random).guarantee, promised);
      EXPECT_LE(promised.replace_one().rho.value_or(0), 4 * *promised.rho);
    }
  }
  FitOptions euclidean = options(Method::mean);
  euclidean.hyperparameters.distance = Distance::euclidean;
  EXPECT_EQ(*fit(data_of(sample()), nullptr, euclidean, zcdp(1), random).guarantee.rho, Rational(1));
}

TEST(Fit, RefusesBeforeTheBudgetIsTouched) {
  const PublicData public_pool = pool(), other = PublicData::from_memory(random_rows(5, 1, 7), 7);
  const PrivateData data = data_of(sample());
  const auto refused = [&](FitOptions how, const BudgetSpec& spec, const PublicData* which) {
    EXPECT_THROW(FitPlan(data, which, how, spec), InvalidInput);
  };
  const BudgetSpec rho = BudgetSpec::zcdp(1), pure = BudgetSpec::pure(1);
  refused(options(Method::mean), pure, &public_pool);
  refused(options(Method::public_one), rho, nullptr);
  refused(options(Method::public_one), rho, &other);
  refused(options(Method::mean, "whiten:3"), rho, nullptr);
  refused(options(Method::mean, "whiten:3"), rho, &other);
  refused(options(Method::mean, "whiten:25"), rho, &public_pool);
  refused(options(Method::automatic), pure, nullptr);
  refused(options(Method::public_one), BudgetSpec::pure(1, Relation::replace_in_class), &public_pool);
  FitOptions how = options(Method::public_k);
  how.hyperparameters.k = 61;
  refused(how, rho, &public_pool);
  how = options(Method::public_one);
  how.hyperparameters.clip_min = how.hyperparameters.clip_max;
  refused(how, rho, &public_pool);
  how = options(Method::mean);
  how.hyperparameters.transform.average_pool = kDim + 1;
  refused(how, rho, nullptr);
  how = options(Method::mean);
  how.hyperparameters.norm = Rational(-1);
  refused(how, rho, nullptr);
  how = options(Method::mean);
  how.hyperparameters.count_share = 1;
  refused(how, rho, nullptr);
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
      [&] { FitPlan(data, &evil, options(Method::mean, "whiten:1:1"), BudgetSpec::zcdp(Rational(1, 50))); },
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
TEST(Fit, AutoSaysWhenAPoolCannotBeTunedOn) {
  std::vector<float> same(3 * 1000, 1.0f);
  const PublicData uniform = PublicData::from_memory(std::move(same), 3);
  const PrivateData data = PrivateData::from_memory({0, 1, -1, 0, 1, 1}, 3, {0, 1}, ClassSet::numbered(2));
  for (const BudgetSpec& spec : {BudgetSpec::zcdp(Rational(1, 50)), BudgetSpec::pure(1)}) {
    const FitPlan plan(data, &uniform, options(Method::automatic), spec);
    EXPECT_EQ(plan.hyperparameters().method, spec.notion == Notion::pure ? Method::public_one : Method::mean);
    EXPECT_NE(plan.untuned_because().find("the same"), std::string::npos) << plan.untuned_because();
    SeededRandom random(1);
    EXPECT_EQ(plan.run(Budget::unledgered(spec), random).hyperparameters.size_share, 0);
  }
}

// Whatever stands in a row, infinities and NaNs too, its integers are within the radius, the same on every instruction
// set.
TEST(IntegerRow, IsWithinTheRadiusForAnyRow) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const float specials[] = {inf,
                            -inf,
                            nan,
                            std::numeric_limits<float>::max(),
                            -std::numeric_limits<float>::max(),
                            std::numeric_limits<float>::denorm_min(),
                            0,
                            1};
  SeededRandom random(3);
  for (int i = 0; i < 3000; ++i) {
    const size_t dim = 1 + random.next64() % 70;
    std::vector<float> row = random_rows(1, random.next64(), dim);
    const bool finite = i % 2 == 0;
    for (size_t n = random.next64() % 4; n > 0; --n) {
      row[random.next64() % dim] = specials[(finite ? 3 : 0) + random.next64() % (finite ? 5 : 3)];
    }
    for (const double clip : {0.0, 0.5, 1e-30, 1e30}) {
      std::vector<int32_t> integers(dim), portable(dim);
      integer_row(row, clip, integers);
      force_cpu_level(CpuLevel::portable);
      integer_row(row, clip, portable);
      unforce_cpu_level();
      EXPECT_EQ(integers, portable);
      int64_t squares = 0;
      for (const int32_t value : integers) squares += int64_t{value} * value;
      EXPECT_LE(squares, kRadius * kRadius);
      if (std::any_of(row.begin(), row.end(), [](float value) { return !std::isfinite(value); })) {
        EXPECT_EQ(squares, 0);
      }
    }
  }
}

// Wider noise than the samplers draw: found while it costs nothing.
TEST(Fit, RefusesBudgetsThatNoNoiseCanServe) {
  const PrivateData data = data_of(sample());
  const PublicData public_pool = pool(), large = PublicData::from_memory(random_rows(1200, 8), kDim);
  std::vector<FitOptions> ways(6, options(Method::mean));
  ways[1].hyperparameters.metric_share = Rational(1, 1000);
  ways[2].hyperparameters.distance = Distance::euclidean;
  ways[3].hyperparameters.shrink = true;
  ways[3].hyperparameters.refine_steps = 1000;
  ways[3].hyperparameters.refine_share = Rational(1, 1000);
  ways[3].hyperparameters.refine_rate = 1;
  ways[4] = options(Method::public_one);
  ways[4].hyperparameters.selection = Selection::laplace;
  ways[5] = options(Method::automatic);
  for (size_t i = 0; i < ways.size(); ++i) {
    const bool automatic = i == 5;
    for (int exponent = 1; exponent < 40; exponent += 3) {
      const Rational amount = Rational(1) / Rational(mpz_class("1" + std::string(static_cast<size_t>(exponent), '0')));
      for (const BudgetSpec& spec : {BudgetSpec::zcdp(amount), BudgetSpec::pure(amount)}) {
        if (spec.notion == Notion::pure && i < 4) continue;
        const PublicData* which = automatic ? &large : &public_pool;
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

TEST(IntegerRow, TheMeasuringZeroesWhatIsTooLong) {
  std::vector<int32_t> row{3, -4};
  bound_norm(row, 5);
  EXPECT_EQ(row, (std::vector<int32_t>{3, -4}));
  bound_norm(row, 4);
  EXPECT_EQ(row, (std::vector<int32_t>{0, 0}));
}

// A choice that publishes class counts, smuggled in where a fit under add-remove runs it.
TEST(Fit, AnEstimatorOfAnotherRelationCannotRun) {
  SeededRandom random(1);
  EXPECT_THROW(ReplaceInClassBudget(zcdp(1)), InvalidInput);
  EXPECT_THROW(AddRemoveBudget(Budget::unledgered(BudgetSpec::zcdp(1, Relation::replace_in_class))), InvalidInput);
  std::vector<int64_t> sums(4);
  EXPECT_THROW(release_sums(sums, 2, NormBound::replaced(kRadius), zcdp(1), random, 1), InvalidInput);
  EXPECT_EQ(sums, std::vector<int64_t>(4));
}

// Selection takes any number of records: to be refused at one would tell how many there are.
TEST(Fit, SelectionHasNoLargestNumberOfRecords) {
  const size_t records = (size_t{1} << 19) + 1;
  std::vector<float> values(2 * records, 1);
  const PrivateData data =
      PrivateData::from_memory(std::move(values), 2, std::vector<int64_t>(records), ClassSet::numbered(1));
  const PublicData two = PublicData::from_memory({1, 1, 1, -1}, 2);
  SeededRandom random(2);
  for (const Method method : {Method::public_one, Method::public_k}) {
    FitOptions how = options(method);
    how.hyperparameters.k = 1;
    const Model model = fit(data, &two, how, Budget::unledgered(BudgetSpec::pure(1)), random);
    EXPECT_EQ(model.pool_indices, std::vector<uint64_t>{0});
  }
}

// Exact scores are as private as the records: only runs that protect nobody anyway may hand them out.
TEST(Fit, SharesScoresBetweenSeededRunsOnly) {
  const PrivateData data = data_of(sample());
  const PublicData pool = PublicData::from_memory(sample().values, kDim);
  std::vector<std::vector<int64_t>> scores;
  FitOptions options;
  options.hyperparameters.method = Method::public_one;
  options.scores = &scores;
  const BudgetSpec budget = BudgetSpec::pure(1);
  const FitPlan plan(data, &pool, options, budget);
  SecureRandom secure;
  testing::expect_error<InvalidInput>([&] { plan.run(Budget::unledgered(budget), secure); }, {"seeded runs only"});
  EXPECT_TRUE(scores.empty());
  SeededRandom seeded(1);
  EXPECT_FALSE(plan.run(Budget::unledgered(budget), seeded).guarantee.is_private);
}

}  // namespace
}  // namespace dppl
