#include "audit/sensitivity.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>

#include "base/parallel.h"
#include "dppl/error.h"
#include "ledger/privacy_filter.h"
#include "random/simulation.h"
#include "rows/class_rows.h"
#include "rows/integer_row.h"
#include "rows/small_rows.h"
#include "selection/class_scores.h"
#include "statistics/class_counts/class_counts.h"
#include "statistics/class_sums/class_sums.h"
#include "statistics/gradient_sum/gradient_sum.h"
#include "statistics/second_moment/second_moment.h"
#include "statistics/weighted_total/weighted_total.h"

namespace dppl {
namespace {

float any_float(Random& random, unsigned style) {
  switch (style) {
    case 0:
      return static_cast<float>(normal(random));
    case 1:  // any magnitude
      return static_cast<float>(std::ldexp(normal(random), static_cast<int>(random.next64() % 250) - 125));
    case 2: {  // any bits that are a number
      const auto value = std::bit_cast<float>(static_cast<uint32_t>(random.next64()));
      return std::isfinite(value) ? value : 1;
    }
    default:
      return random.next64() % 4 == 0 ? 1.0f : 0.0f;
  }
}

std::vector<float> any_rows(Random& random, size_t rows, size_t dim) {
  std::vector<float> values(rows * dim);
  const auto style = static_cast<unsigned>(random.next64() % 4);
  for (float& value : values) value = any_float(random, style);
  // Nearly the same row again and again, which hardly varies.
  if (random.next64() % 4 == 0) {
    const auto step = static_cast<float>(std::ldexp(1.0, -static_cast<int>(random.next64() % 80)));
    for (size_t i = dim; i < values.size(); ++i) values[i] = i % dim == 0 ? values[i % dim] : step * values[i];
  }
  return values;
}

TransformSpec any_transform(Random& random, size_t dim) {
  TransformSpec spec;
  spec.kind = static_cast<TransformSpec::Kind>(1 + random.next64() % 4);
  if (spec.kind >= TransformSpec::Kind::pca) spec.directions = 1 + random.next64() % dim;
  if (spec.kind == TransformSpec::Kind::whiten) spec.eigen_power = static_cast<double>(1 + random.next64() % 100) / 100;
  return spec;
}

// The data sets without and with the record, and everything public.
class Worlds {
 public:
  explicit Worlds(const SensitivityCase& one)
      : pool_(PublicData::from_memory(one.pool, one.dim, 1)),
        transform_(PublicTransform::compute(one.transform, one.dim, pool_, 1)),
        classes_(one.classes),
        data_{data(one, false), data(one, true)},
        access_{PrivateAccess(data_[0]), PrivateAccess(data_[1])} {}

  Records records(size_t world) const { return {access_[world], classes_, transform_}; }
  const PublicData& pool() const { return pool_; }
  const PublicTransform& transform() const { return transform_; }
  const PrivateAccess& access(size_t world) const { return access_[world]; }
  size_t classes() const { return classes_; }

 private:
  static PrivateData data(const SensitivityCase& one, bool with) {
    std::vector<float> values = one.values;
    std::vector<int64_t> labels = one.labels;
    const auto dim = static_cast<std::ptrdiff_t>(one.dim), place = static_cast<std::ptrdiff_t>(one.place);
    const std::vector<float> record(values.end() - dim, values.end());
    const int64_t label = labels.back();
    values.resize(values.size() - one.dim);
    labels.pop_back();
    if (with) {
      values.insert(values.begin() + place * dim, record.begin(), record.end());
      labels.insert(labels.begin() + place, label);
    }
    return PrivateData::from_memory(std::move(values), one.dim, std::move(labels), ClassSet::numbered(one.classes), 1);
  }

  PublicData pool_;
  PublicTransform transform_;
  size_t classes_;
  PrivateData data_[2];
  PrivateAccess access_[2];
};

double norm_share(std::span<const int64_t> before, std::span<const int64_t> after, double norm) {
  double squares = 0;
  for (size_t k = 0; k < before.size(); ++k) {
    const auto moved = static_cast<double>(after[k] - before[k]);
    squares += moved * moved;
  }
  // A double holds these integers exactly, and the root of an exact square is exact: 1 is not crossed by rounding.
  return std::sqrt(squares) / norm;
}

// What is summed over records, exactly, with the norm that it declares. What else it depends on, the point of a
// gradient, is drawn from `random`: public, and the same for both data sets.
struct Statistic {
  std::string name;
  std::function<BoundedSum(const Records& records, Random& random)> exact;
};

SmallRows small_rows(const Records& records) {
  SmallRows rows(records.size(), records.dim());
  class_sums(records, rows);
  return rows;
}

BoundedSum gradient_anywhere(const Records& records, Random& random) {
  std::vector<double> weights(records.classes * records.dim()), offsets(records.classes);
  for (double& value : weights) value = 15 * normal(random);
  for (double& value : offsets) value = normal(random);
  const SmallRows rows = small_rows(records);
  return GradientSums(rows, records.access, 1).at({weights, offsets});
}

const std::vector<Statistic>& honest_statistics() {
  static const std::vector<Statistic> statistics{
      {"class sums", [](const Records& records, Random&) { return class_sums(records); }},
      {"class sizes", [](const Records& records, Random&) { return class_counts(records.access, records.classes); }},
      {"weighted total",
       [](const Records& records, Random& random) {
         std::vector<int64_t> weights(records.classes, kFullWeight);
         for (int64_t& weight : weights) weight = random.next64() % 2 == 0 ? weight : weight / 3;
         return weighted_total(records, weights, 1);
       }},
      {"second moment", [](const Records& records, Random&) { return second_moment(small_rows(records), records.access, 1); }},
      {"gradient sum", gradient_anywhere}};
  return statistics;
}

double share_of(const Statistic& statistic, const Worlds& worlds, uint64_t seed) {
  SeededRandom first(seed), second(seed);
  const BoundedSum before = statistic.exact(worlds.records(0), first),
                   after = statistic.exact(worlds.records(1), second);
  return norm_share(before.values, after.values, std::sqrt(static_cast<double>(before.bound.squared)));
}

// Of all candidates for every class. A score that fell, or that moved for another class, counts as infinitely far.
double scores_share(const Worlds& worlds, ScoreRange range) {
  const Embeddings& rows = worlds.pool().embeddings();
  const QuantisedRows pool = quantise(rows, rows.rows(), worlds.transform(), 1, [](size_t i) { return i; });
  std::vector<uint32_t> all(pool.rows());
  for (uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  const auto scores = [&](size_t world, size_t c) {
    const PrivateAccess& access = worlds.access(world);
    const auto records = records_by_class(access, worlds.classes())[c];
    const QuantisedRows members = quantise(access.embeddings(), records.size(), worlds.transform(), 1,
                                           [&](size_t i) { return access.row_of(records[i]); });
    std::vector<int64_t> result(pool.rows());
    ClassScores(members, summarise(members, false, 1), pool, range, 1).evaluate(all, result);
    return result;
  };
  double largest = 0;
  size_t moved_classes = 0;
  for (size_t c = 0; c < worlds.classes(); ++c) {
    const auto before = scores(0, c), after = scores(1, c);
    moved_classes += before == after ? 0 : 1;
    for (size_t i = 0; i < before.size(); ++i) {
      if (after[i] < before[i]) return INFINITY;
      largest = std::max(largest, static_cast<double>(after[i] - before[i]) / static_cast<double>(range.per_record()));
    }
  }
  return moved_classes > 1 ? INFINITY : largest;
}

ScoreRange any_range(Random& random) {
  const auto low = static_cast<long>(random.next64() % 200), width = static_cast<long>(1 + random.next64() % 200);
  return ScoreRange::of(Rational(low, 100), Rational(std::min(low + width, 200L) + (low == 200 ? 1 : 0), 100));
}

// Some case must come near to what is allowed, or the cases show nothing.
constexpr double kReach = 0.9;

}  // namespace

SensitivityCase random_case(Random& random) {
  SensitivityCase result;
  result.dim = 1 + random.next64() % 8;
  result.classes = 1 + random.next64() % 4;
  result.pool = any_rows(random, 1 + random.next64() % 30, result.dim);
  const size_t records = 1 + random.next64() % 10;
  result.values = any_rows(random, records, result.dim);
  for (size_t i = 0; i < records; ++i) result.labels.push_back(static_cast<int64_t>(random.next64() % result.classes));
  result.transform = any_transform(random, result.dim);
  result.place = random.next64() % records;
  result.seed = random.next64();
  return result;
}

namespace {

std::optional<std::vector<Moved>> moved(const std::vector<Statistic>& statistics, bool with_scores,
                                        const SensitivityCase& one) {
  try {
    const Worlds worlds(one);
    std::vector<Moved> result;
    for (const Statistic& statistic : statistics) {
      result.push_back({statistic.name, share_of(statistic, worlds, one.seed)});
    }
    if (with_scores) {
      SeededRandom random(one.seed);
      result.push_back({"selection scores", scores_share(worlds, any_range(random))});
      result.push_back({"selection scores, nothing clipped", scores_share(worlds, ScoreRange::of(0, 2))});
    }
    return result;
  } catch (const InvalidInput&) {
    return std::nullopt;
  }
}

std::vector<AuditResult> largest_moves(const std::vector<Statistic>& statistics, bool planted, uint64_t cases,
                                       unsigned threads) {
  std::vector<AuditResult> results;
  std::mutex mutex;
  const SeededRandom random(1);
  parallel_blocks(cases, 1, threads, [&](size_t i, size_t, unsigned) {
    Random stream = random.stream(i);
    // A case that is refused costs nothing and shows nothing: the next one of the stream.
    std::optional<std::vector<Moved>> shares;
    while (!shares) shares = moved(statistics, !planted, random_case(stream));
    const std::lock_guard lock(mutex);
    for (size_t j = 0; j < shares->size(); ++j) {
      if (results.size() == j) {
        AuditResult& row = results.emplace_back();
        row.name = (planted ? "planted: " : "exact ") + (*shares)[j].statistic;
        row.neighbours = "random and crafted pools, transforms, data sets and records";
        row.planted = planted;
        row.measure = AuditMeasure::norm;
        row.claim = 1;
        row.reach = kReach;
        row.trials = cases;
      }
      results[j].lower_bound = std::max(results[j].lower_bound, (*shares)[j].share);
    }
  });
  return results;
}

}  // namespace

std::optional<std::vector<Moved>> moved_by_one_record(const SensitivityCase& one) {
  return moved(honest_statistics(), true, one);
}

std::vector<AuditResult> audit_sensitivity(uint64_t cases, unsigned threads) {
  return largest_moves(honest_statistics(), false, cases, threads);
}

// ---- Mistakes: sums over records whose rows are longer than somebody believes

namespace {

// Σ over the records, per class, of what a row becomes.
template <typename Row>
BoundedSum sum_of(const Records& records, size_t dim, double believed, Row row_of) {
  BoundedSum sum{std::vector<int64_t>(records.classes * dim), NormBound::added(static_cast<int64_t>(believed))};
  std::vector<float> scratch(records.access.embeddings().dim());
  for (size_t i = 0; i < records.size(); ++i) {
    const std::vector<double> row = row_of(records.access.row_view(i, scratch));
    const auto label = static_cast<size_t>(records.labels()[i]);
    for (size_t k = 0; k < dim; ++k) {
      sum.values[label * dim + k] += static_cast<int64_t>(std::clamp(row[k], -0x1p50, 0x1p50));
    }
  }
  return sum;
}

constexpr auto kUnit = static_cast<double>(kRadius);

BoundedSum clipping_forgotten(const Records& records, Random&) {
  return sum_of(records, records.access.embeddings().dim(), kUnit, [](std::span<const float> row) {
    std::vector<double> result(row.begin(), row.end());
    for (double& value : result) value *= kUnit;
    return result;
  });
}

// Rows are clipped to length 1 and transformed afterwards: the bound is that of rows that no longer exist.
BoundedSum transformed_after_clipping(const Records& records, Random&) {
  const size_t dim = records.dim();
  return sum_of(records, dim, kUnit, [&](std::span<const float> row) {
    std::vector<float> out(dim);
    records.transform.apply(row, out);  // scales to length 1 first
    std::vector<double> result(out.begin(), out.end());
    for (double& value : result) value *= kUnit;
    return result;
  });
}

// The first coordinate, clipped to [−1, 5], with a sensitivity of max(|lower|, |lower|).
constexpr double kLower = -1, kUpper = 5;
BoundedSum bounded_values(const Records& records, Random&) {
  return sum_of(records, 1, kUnit * std::max(std::abs(kLower), std::abs(kLower)), [](std::span<const float> row) {
    return std::vector<double>{kUnit * std::clamp(static_cast<double>(row[0]), kLower, kUpper)};
  });
}

// A basis of numbers that carry a row beyond float, and a conversion that takes what comes: infinity times a scale of 0
// is not a number, and a processor makes the smallest integer of it.
BoundedSum infinite_rows(const Records& records, Random&) {
  return sum_of(records, 1, kUnit, [](std::span<const float> row) {
    double squares = 0;
    for (const float value : row) squares += static_cast<double>(value) * static_cast<double>(value);
    float product = 0;
    for (const float value : row) product += static_cast<float>(value / std::sqrt(squares)) * 3e38f;
    const double scaled = static_cast<double>(product) * (kUnit / std::abs(static_cast<double>(product)));
    return std::vector<double>{std::isnan(scaled) ? -0x1p31 : scaled};
  });
}

// What is spent against what was counted, for amounts that a double takes for 0.
AuditResult spends(const std::string& name, bool planted,
                   const std::function<Rational(const Rational& cost)>& counted) {
  const Rational tiny = Rational(1) / Rational(mpz_class(1) << 1100);
  constexpr unsigned kTimes = 3;
  const Rational sum = counted(tiny);
  AuditResult row;
  row.name = name;
  row.neighbours = "ρ = 2^-1100, three times";
  row.planted = planted;
  row.measure = AuditMeasure::norm;
  row.claim = 1;
  row.reach = kReach;
  row.trials = 1;
  row.lower_bound = sum > 0 ? Rational(kTimes * tiny / sum).get_d() : INFINITY;
  return row;
}

}  // namespace

std::vector<AuditResult> planted_sensitivities(uint64_t cases, unsigned threads) {
  const std::vector<Statistic> mistakes{{"clipping forgotten", clipping_forgotten},
                                        {"rows transformed after clipping", transformed_after_clipping},
                                        {"sensitivity from the lower bound twice", bounded_values},
                                        {"an infinite row taken for integers", infinite_rows}};
  return largest_moves(mistakes, true, cases, threads);
}

AuditResult audit_spends() {
  return spends("exact spends", false, [](const Rational& cost) {
    PrivacyFilter charging("audit", BudgetSpec::zcdp(1));
    for (int i = 0; i < 3; ++i) charging.charge(BudgetSpec::zcdp(cost), Guarantee::zcdp(cost));
    return charging.balance().spent.value;
  });
}

AuditResult planted_spends() {
  return spends("planted: a spend below the smallest double", true, [](const Rational& cost) {
    double sum = 0;
    for (int i = 0; i < 3; ++i) sum += cost.get_d();
    return Rational(sum);
  });
}

}  // namespace dppl
