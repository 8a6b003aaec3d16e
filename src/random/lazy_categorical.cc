#include "random/lazy_categorical.h"

#include <algorithm>
#include <optional>

#include "dppl/error.h"
#include "random/categorical.h"

namespace dppl {
namespace {

constexpr size_t kFirstBatch = 64, kTightenAt = 256;
constexpr size_t kFirstProposals = 16;  // are evaluated together, then twice as many, and so on

// 0 … size − 1, for loops. (Clang 14 cannot use the views of gcc 12's library.)
struct Below {
  struct Iterator {
    uint32_t at;
    uint32_t operator*() const { return at; }
    Iterator& operator++() {
      ++at;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at != other.at; }
  };
  uint32_t size;
  Iterator begin() const { return {0}; }
  Iterator end() const { return {size}; }
};

class LazySampler {
 public:
  LazySampler(Random& random, const BoundedValues& values, const Rational& unit)
      : random_(random),
        values_(values),
        exp_(unit),
        negligible_gap_(exp_.negligible_gap()),
        known_(values.upper.size(), 0) {}

  LazyDraw run() {
    const Below all{static_cast<uint32_t>(values_.upper.size())};
    evaluate(largest_open(all, kFirstBatch));
    for (const uint32_t i : all) {
      if (!is_negligible(i)) near_.push_back(i);
    }
    for (size_t batch = kFirstBatch;;) {
      if (const auto index = propose(batch)) return {*index, evaluated_};
      batch *= 2;
      if (batch == kTightenAt && values_.tighten && near_.size() > 2 * kTightenAt) tighten();
      evaluate(largest_open(near_, batch));
      std::erase_if(near_, [this](uint32_t i) { return is_negligible(i); });
    }
  }

 private:
  int64_t value(uint32_t i) const { return values_.upper[i]; }

  void evaluate(const std::vector<uint32_t>& indices) {
    if (indices.empty()) return;
    results_.resize(indices.size());
    values_.evaluate(indices, results_);
    for (size_t j = 0; j < indices.size(); ++j) {
      if (results_[j] > value(indices[j])) throw Error("selection: a score lies above its upper bound");
      values_.upper[indices[j]] = results_[j];
      known_[indices[j]] = 1;
      best_known_ = std::max(best_known_, results_[j]);
    }
    evaluated_ += indices.size();
  }

  void tighten() {
    std::vector<uint32_t> open;
    std::copy_if(near_.begin(), near_.end(), std::back_inserter(open), [this](uint32_t i) { return !known_[i]; });
    results_.resize(open.size());
    values_.tighten(open, results_);
    for (size_t j = 0; j < open.size(); ++j) {
      values_.upper[open[j]] = std::min(values_.upper[open[j]], results_[j]);
    }
    std::erase_if(near_, [this](uint32_t i) { return is_negligible(i); });
  }

  // Of these, the `count` with the largest bounds that are not known yet, in the order of the indices.
  template <typename Indices>
  std::vector<uint32_t> largest_open(const Indices& indices, size_t count) const {
    const auto before = [this](uint32_t a, uint32_t b) {
      return value(a) > value(b) || (value(a) == value(b) && a < b);
    };
    std::vector<uint32_t> chosen;
    // A heap of the best so far, its worst in front, or a selection when it would be large.
    if (count <= 1024) {
      int64_t worst = std::numeric_limits<int64_t>::min();
      for (const uint32_t i : indices) {
        if (value(i) <= worst || known_[i]) continue;
        if (chosen.size() == count) {
          std::pop_heap(chosen.begin(), chosen.end(), before);
          chosen.pop_back();
        }
        chosen.push_back(i);
        std::push_heap(chosen.begin(), chosen.end(), before);
        if (chosen.size() == count) worst = value(chosen.front());
      }
    } else {
      for (const uint32_t i : indices) {
        if (!known_[i]) chosen.push_back(i);
      }
      if (chosen.size() > count) {
        std::nth_element(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(count), chosen.end(), before);
        chosen.resize(count);
      }
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

  // What lies so far below a known value that its weight is the smallest there is, needs no weight of its own.
  bool is_negligible(uint32_t i) const {
    return negligible_gap_ && value(i) < best_known_ &&
           static_cast<uint64_t>(best_known_ - value(i)) >= *negligible_gap_;
  }

  std::optional<size_t> propose(size_t count) {
    // The near ones, and after them all others together as one.
    int64_t largest = best_known_;
    for (const uint32_t i : near_) largest = std::max(largest, value(i));
    std::vector<uint64_t> weights;
    weights.reserve(near_.size() + 1);
    for (const uint32_t i : near_) weights.push_back(exp_.bounds(static_cast<uint64_t>(largest - value(i))).upper);
    weights.push_back(ExpWeights::kSmallest * (values_.upper.size() - near_.size()));
    const Proposal proposal(std::move(weights));

    struct Proposed {
      uint32_t index;
      uint64_t weight;
    };
    std::vector<Proposed> proposed;
    for (size_t done = 0, together = kFirstProposals; done < count; done += together, together *= 2) {
      proposed.clear();
      std::vector<uint32_t> open;
      for (size_t j = 0; j < together; ++j) {
        const size_t place = proposal.draw(random_);
        const bool far = place == near_.size();
        const uint32_t index = far ? far_index() : near_[place];
        proposed.push_back({index, far ? ExpWeights::kSmallest : proposal.weight(place)});
        if (!known_[index]) open.push_back(index);
      }
      std::sort(open.begin(), open.end());
      open.erase(std::unique(open.begin(), open.end()), open.end());
      evaluate(open);
      for (const Proposed& one : proposed) {
        if (exp_.accept(random_, one.weight, static_cast<uint64_t>(largest - value(one.index)))) return one.index;
      }
    }
    return std::nullopt;
  }

  // One of the indices that are not near, each as likely as another.
  uint32_t far_index() {
    auto rest = static_cast<uint64_t>(uniform_below(random_, values_.upper.size() - near_.size()));
    // `near_` ascends: skip what it holds.
    for (const uint32_t i : near_) {
      if (i > rest) break;
      ++rest;
    }
    return static_cast<uint32_t>(rest);
  }

  Random& random_;
  const BoundedValues& values_;
  const ExpWeights exp_;
  const std::optional<uint64_t> negligible_gap_;
  std::vector<uint8_t> known_;
  std::vector<uint32_t> near_;  // all that are not negligible, ascending
  std::vector<int64_t> results_;
  int64_t best_known_ = std::numeric_limits<int64_t>::min();
  size_t evaluated_ = 0;
};

}  // namespace

LazyDraw lazy_categorical_exp(Random& random, const BoundedValues& values, const Rational& unit) {
  return LazySampler(random, values, unit).run();
}

}  // namespace dppl
