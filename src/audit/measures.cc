#include "audit/measures.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "audit/constants.h"
#include "base/parallel.h"
#include "dppl/error.h"
#include "rows/class_rows.h"
#include "selection/class_scores.h"

namespace dppl {

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

namespace {

double norm_share(std::span<const int64_t> before, std::span<const int64_t> after, double norm) {
  double squares = 0;
  for (size_t k = 0; k < before.size(); ++k) {
    const auto moved = static_cast<double>(after[k] - before[k]);
    squares += moved * moved;
  }
  // A double holds these integers exactly, and the root of an exact square is exact: 1 is not crossed by rounding.
  return std::sqrt(squares) / norm;
}

double share_of(const Statistic& statistic, const Worlds& worlds, uint64_t seed) {
  SeededRandom first(seed), second(seed);
  const BoundedSum before = statistic.exact(worlds.records(0), first),
                   after = statistic.exact(worlds.records(1), second);
  return norm_share(before.values, after.values, std::sqrt(static_cast<double>(before.bound.squared)));
}

// How far the scores of all candidates moved, for every class; empty where one fell, which none may.
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

Measure measure_of(const Statistic& statistic) {
  return {statistic.name,
          [statistic](const Worlds& worlds, uint64_t seed) { return share_of(statistic, worlds, seed); }};
}

Measure measure_of_scores(const std::string& name, AddUp add_up, WeightsOf weights_of, bool whole) {
  return {name, [=](const Worlds& worlds, uint64_t seed) {
            SeededRandom random(seed);
            return scores_share(worlds, whole ? ScoreRange::of(0, 2) : any_range(random), add_up, weights_of);
          }};
}

WeightsOf person_weights(AddUp add_up, bool by_size) {
  return [=](const PrivateAccess& access, size_t classes, ScoreRange range) {
    const PersonWeights weights(access, classes, range, add_up,
                                by_size ? std::span(kReleasedSizes).first(classes) : std::span<const double>());
    const std::span<const int64_t> all = weights.of(access);
    return std::vector<int64_t>(all.begin(), all.end());
  };
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

}  // namespace dppl
