#include "audit/sensitivity.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>

#include "audit/constants.h"
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
#include "statistics/clip_person.h"
#include "statistics/gradient_sum/gradient_sum.h"
#include "statistics/pair_scores/person_weights.h"
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
    const size_t all = one.labels.size();
    std::vector<size_t> chosen;
    for (size_t i = 0; i + 1 < all; ++i) {
      if (one.people.empty() || one.people[i] != one.people.back()) chosen.push_back(i);
    }
    // The others before and behind stay in their order.
    std::vector<size_t> more;
    for (size_t i = 0; with && i < all; ++i) {
      if (i + 1 == all || (!one.people.empty() && one.people[i] == one.people.back())) more.push_back(i);
    }
    const size_t place = std::min(one.place, chosen.size());
    chosen.insert(chosen.begin() + static_cast<std::ptrdiff_t>(place), more.begin(), more.end());
    std::vector<float> values;
    std::vector<int64_t> labels, people;
    for (const size_t i : chosen) {
      const auto row = std::span(one.values).subspan(i * one.dim, one.dim);
      values.insert(values.end(), row.begin(), row.end());
      labels.push_back(one.labels[i]);
      if (!one.people.empty()) people.push_back(one.people[i]);
    }
    PrivateData result =
        PrivateData::from_memory(std::move(values), one.dim, std::move(labels), ClassSet::numbered(one.classes), 1);
    return one.people.empty() ? std::move(result) : std::move(result).with_people(people);
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
      {"second moment",
       [](const Records& records, Random&) { return second_moment(small_rows(records), records.access, 1); }},
      {"gradient sum", gradient_anywhere}};
  return statistics;
}

double share_of(const Statistic& statistic, const Worlds& worlds, uint64_t seed) {
  SeededRandom first(seed), second(seed);
  const BoundedSum before = statistic.exact(worlds.records(0), first),
                   after = statistic.exact(worlds.records(1), second);
  return norm_share(before.values, after.values, std::sqrt(static_cast<double>(before.bound.squared)));
}

// How far the scores of all candidates moved, for every class; empty where one fell, which none may.
using WeightsOf = std::function<std::vector<int64_t>(const PrivateAccess& access, size_t classes, ScoreRange range)>;
std::optional<std::vector<int64_t>> score_moves(const Worlds& worlds, ScoreRange range, const WeightsOf& weights_of) {
  const Embeddings& rows = worlds.pool().embeddings();
  const QuantisedRows pool = quantise(rows, rows.rows(), worlds.transform(), 1, [](size_t i) { return i; });
  std::vector<uint32_t> all(pool.rows());
  for (uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  const auto scores = [&](size_t world, size_t c) {
    const PrivateAccess& access = worlds.access(world);
    const auto records = records_by_class(access, worlds.classes())[c];
    WeightedRows members(quantise(access.embeddings(), records.size(), worlds.transform(), 1,
                                  [&](size_t i) { return access.row_of(records[i]); }));
    if (weights_of) {
      const std::vector<int64_t> weights = weights_of(access, worlds.classes(), range);
      for (const size_t i : records) members.weights.push_back(weights[i]);
      members.denominator = PersonWeights::kDenominator;
    }
    std::vector<int64_t> result(pool.rows());
    ClassScores(members, summarise(members, false, 1), pool, range, 1).evaluate(all, result);
    return result;
  };
  std::vector<int64_t> moves;
  for (size_t c = 0; c < worlds.classes(); ++c) {
    const auto before = scores(0, c), after = scores(1, c);
    int64_t largest = 0;
    for (size_t i = 0; i < before.size(); ++i) {
      if (after[i] < before[i]) return std::nullopt;
      largest = std::max(largest, after[i] - before[i]);
    }
    moves.push_back(largest);
  }
  return moves;
}

// What all classes cost together, in units of what one record may move one class by.
double scores_share(const Worlds& worlds, ScoreRange range, AddUp add_up, const WeightsOf& weights_of) {
  const auto moves = score_moves(worlds, range, weights_of);
  if (!moves) return INFINITY;
  double total = 0;
  for (const int64_t move : *moves) {
    const double share = static_cast<double>(move) / static_cast<double>(range.per_record());
    total += add_up == AddUp::sum ? share : share * share;
  }
  // The integers are below 2^23: what fits together exactly is not told to be more by rounding.
  return total <= 1 + 0x1p-50 ? std::min(total, 1.0) : total;
}

ScoreRange any_range(Random& random) {
  const auto low = static_cast<long>(random.next64() % 200), width = static_cast<long>(1 + random.next64() % 200);
  return ScoreRange::of(Rational(low, 100), Rational(std::min(low + width, 200L) + (low == 200 ? 1 : 0), 100));
}

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

SensitivityCase random_case_of_people(Random& random) {
  SensitivityCase result = random_case(random);
  const size_t more = random.next64() % 9;
  const std::vector<float> rows = any_rows(random, more, result.dim);
  // Some of them the same again, which add up to the longest there is.
  for (size_t i = 0; i < more * result.dim; ++i) {
    result.values.push_back(more % 2 == 0 ? rows[i] : result.values[i % result.dim]);
  }
  for (size_t i = 0; i < more; ++i) {
    result.labels.push_back(static_cast<int64_t>(random.next64() % result.classes));
  }
  for (size_t i = 0; i < result.labels.size(); ++i) {
    result.people.push_back(static_cast<int64_t>(random.next64() % (1 + result.labels.size() / 3)));
  }
  return result;
}

namespace {

// Something that one more record or person moves, and how far of what is allowed.
struct Measure {
  std::string name;
  std::function<double(const Worlds& worlds, uint64_t seed)> share;
};

Measure measure_of(const Statistic& statistic) {
  return {statistic.name,
          [statistic](const Worlds& worlds, uint64_t seed) { return share_of(statistic, worlds, seed); }};
}

Measure measure_of_scores(const std::string& name, AddUp add_up, WeightsOf weights_of = {}, bool whole = false) {
  return {name, [=](const Worlds& worlds, uint64_t seed) {
            SeededRandom random(seed);
            return scores_share(worlds, whole ? ScoreRange::of(0, 2) : any_range(random), add_up, weights_of);
          }};
}

// Released sizes of up to four classes.
constexpr double kSizes[] = {40, 3, 800, 1};

WeightsOf person_weights(AddUp add_up, bool by_size = false) {
  return [=](const PrivateAccess& access, size_t classes, ScoreRange range) {
    const PersonWeights weights(access, classes, range, add_up,
                                by_size ? std::span(kSizes).first(classes) : std::span<const double>());
    const std::span<const int64_t> all = weights.of(access);
    return std::vector<int64_t>(all.begin(), all.end());
  };
}

std::vector<Measure> honest_measures(bool people) {
  std::vector<Measure> measures;
  for (const Statistic& statistic : honest_statistics()) measures.push_back(measure_of(statistic));
  if (!people) {
    measures.push_back(measure_of_scores("selection scores", AddUp::sum));
    measures.push_back(measure_of_scores("selection scores, nothing clipped", AddUp::sum, {}, true));
    return measures;
  }
  measures.push_back(measure_of({"class sums, small classes first", [](const Records& records, Random&) {
                                   Records turned = records;
                                   turned.class_sizes = std::span(kSizes).first(records.classes);
                                   return class_sums(turned);
                                 }}));
  for (const bool whole : {false, true}) {
    const std::string end = whole ? ", nothing clipped" : "";
    measures.push_back(
        measure_of_scores("selection scores, pure" + end, AddUp::sum, person_weights(AddUp::sum), whole));
    measures.push_back(
        measure_of_scores("selection scores, zCDP" + end, AddUp::squares, person_weights(AddUp::squares), whole));
  }
  for (const auto& [budget, add_up] : {std::pair{"pure", AddUp::sum}, {"zCDP", AddUp::squares}}) {
    measures.push_back(measure_of_scores(std::string("selection scores, ") + budget + ", small classes first", add_up,
                                         person_weights(add_up, true)));
  }
  for (Measure& measure : measures) measure.name += ", people";
  return measures;
}

std::optional<std::vector<Moved>> moved(const std::vector<Measure>& measures, const SensitivityCase& one) {
  try {
    const Worlds worlds(one);
    std::vector<Moved> result;
    for (const Measure& measure : measures) result.push_back({measure.name, measure.share(worlds, one.seed)});
    return result;
  } catch (const InvalidInput&) {
    return std::nullopt;
  }
}

std::vector<AuditResult> largest_moves(const std::vector<Measure>& measures, bool people, bool planted, uint64_t cases,
                                       unsigned threads) {
  std::vector<AuditResult> results;
  std::mutex mutex;
  const SeededRandom random(1);
  parallel_blocks(cases, 1, threads, [&](size_t i, size_t, unsigned) {
    Random stream = random.stream(i);
    // A case that is refused costs nothing and shows nothing: the next one of the stream.
    std::optional<std::vector<Moved>> shares;
    while (!shares) shares = moved(measures, people ? random_case_of_people(stream) : random_case(stream));
    const std::lock_guard lock(mutex);
    for (size_t j = 0; j < shares->size(); ++j) {
      if (results.size() == j) {
        AuditResult& row = results.emplace_back();
        row.name = (planted ? "planted: " : "exact ") + (*shares)[j].statistic;
        row.neighbours = people ? "random and crafted pools, transforms, data sets and people"
                                : "random and crafted pools, transforms, data sets and records";
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

std::optional<std::vector<Moved>> moved_by_one_more(const SensitivityCase& one) {
  return moved(honest_measures(!one.people.empty()), one);
}

std::vector<AuditResult> audit_sensitivity(uint64_t cases, unsigned threads) {
  std::vector<AuditResult> results = largest_moves(honest_measures(false), false, false, cases, threads);
  for (AuditResult& row : largest_moves(honest_measures(true), true, false, cases, threads)) {
    results.push_back(std::move(row));
  }
  return results;
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

// ---- Mistakes about people

// What a person has in each class is clipped by itself.
BoundedSum clipped_per_class(const Records& records, Random&) {
  const size_t dim = records.dim();
  BoundedSum sum{std::vector<int64_t>(records.classes * dim), NormBound::added(kRadius, Relation::add_remove_person)};
  const People& people = *records.access.people();
  std::vector<float> scratch(records.access.embeddings().dim());
  for (size_t p = 0; p < people.size(); ++p) {
    each_class_of(records.labels(), people.begin(p), people.end(p), [&](int64_t label, size_t begin, size_t end) {
      std::vector<int64_t> part(dim);
      std::vector<float> row(dim);
      for (size_t i = begin; i < end; ++i) {
        records.transform.apply(records.access.row_view(i, scratch), row);
        add_integer_row(row, 0, part);
      }
      clip_person(part, kRadius);
      for (size_t k = 0; k < dim; ++k) sum.values[static_cast<size_t>(label) * dim + k] += part[k];
    });
  }
  return sum;
}

// Every record counts, whoever it is of.
BoundedSum counted_as_several(const Records& records, Random&) {
  BoundedSum counts{std::vector<int64_t>(records.classes), NormBound::added(1, Relation::add_remove_person)};
  for (const int64_t label : records.labels()) ++counts.values[static_cast<size_t>(label)];
  return counts;
}

// The weights of before all records were given their classes: as if a person were in one class only.
std::vector<int64_t> weights_of_other_labels(const PrivateAccess& access, size_t, ScoreRange) {
  std::vector<int64_t> weights;
  const People& people = *access.people();
  for (size_t p = 0; p < people.size(); ++p) {
    each_class_of(access.labels(), people.begin(p), people.end(p), [&](int64_t, size_t begin, size_t end) {
      weights.insert(weights.end(), end - begin, PersonWeights::kDenominator / static_cast<int64_t>(end - begin));
    });
  }
  return weights;
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
  std::vector<Measure> of_records;
  for (const Statistic& mistake : mistakes) of_records.push_back(measure_of(mistake));
  const std::vector<Measure> of_people{
      measure_of({"clip per class instead of over the stack", clipped_per_class}),
      measure_of({"one person's records counted as several", counted_as_several}),
      measure_of_scores("1/√k of a person's weight under pure DP", AddUp::sum, person_weights(AddUp::squares)),
      measure_of_scores("weights computed before re-labelling", AddUp::sum, weights_of_other_labels)};
  std::vector<AuditResult> results = largest_moves(of_records, false, true, cases, threads);
  for (AuditResult& row : largest_moves(of_people, true, true, cases, threads)) results.push_back(std::move(row));
  return results;
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
