#include "random/lazy_part.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "dppl/error.h"

namespace dppl {

LazyPart::LazyPart(BoundedValues values, const Rational& unit)
    : values_(std::move(values)), exp_(unit), negligible_gap_(exp_.negligible_gap()), known_(values_.upper.size(), 0) {}

LazyAnswer LazyPart::answer(const LazyQuestion& question) {
  return std::visit([this](const auto& one) -> LazyAnswer { return answer_one(one); }, question);
}

template <typename Work>
void LazyPart::each_near(const Work& work) const {
  if (all_near_) {
    for (uint32_t i = 0; i < known_.size(); ++i) work(i);
  } else {
    for (const uint32_t i : near_) work(i);
  }
}

void LazyPart::choose_largest(uint64_t count, std::optional<int64_t> tighten_for) {
  if (tighten_for) tighten(*tighten_for);
  const uint64_t asked = std::min(count, values_.candidates());
  told_ = largest_open(asked + 1);
  // What was left out is near until the first weighing, but must not be among the largest.
  if (leaves_out() && !weighed_ && (told_.size() <= asked || values_.upper[told_.back()] <= values_.some->rest)) {
    throw Error("selection: a candidate of a large bound was left out");
  }
}

SayLargest LazyPart::answer_one(const AskLargest& question) {
  choose_largest(question.count, question.tighten_for);
  SayLargest said;
  for (size_t j = 0; j < std::min<uint64_t>(question.count, told_.size()); ++j) {
    said.bounds.push_back(values_.upper[told_[j]]);
  }
  return said;
}

SayEvaluated LazyPart::answer_one(const AskEvaluate& question) {
  const bool alone = told_.empty();
  if (alone) choose_largest(question.count, question.tighten_for);
  const size_t count = alone ? std::min<uint64_t>(question.count, told_.size()) : question.count;
  if (question.count == 0 || count > told_.size()) throw Error("selection: a part has not told so many bounds");
  std::vector<uint32_t> told = std::exchange(told_, {});
  const auto middle = told.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(told.begin(), middle);
  std::vector<uint32_t> indices;
  for (auto place = told.begin(); place != middle; ++place) indices.push_back(index_of(*place));
  evaluate(indices);
  SayEvaluated said{count};
  for (auto place = told.begin(); place != middle; ++place) {
    said.best = std::max(said.best.value_or(values_.upper[*place]), values_.upper[*place]);
  }
  if (middle != told.end()) said.open = values_.upper[*middle];
  return said;
}

SayWeighed LazyPart::answer_one(const AskWeigh& question) {
  told_.clear();
  keep_near(question.best_known);
  weighed_ = true;
  std::vector<uint64_t> weights;
  weights.reserve(near());
  uint128 known = 0;
  each_near([&](uint32_t place) {
    if (values_.upper[place] > question.largest) throw Error("selection: a bound lies above the largest");
    weights.push_back(exp_.bounds(static_cast<uint64_t>(question.largest - values_.upper[place])).upper);
    if (known_[place]) known += weights.back();
  });
  proposal_.emplace(std::move(weights));
  return {near(), proposal_->total(), known};
}

SayPlaces LazyPart::answer_one(const AskPlaces& question) {
  if (!proposal_) throw Error("selection: a part was asked for a place before its weights");
  SayPlaces said{{}, 0};
  std::vector<uint32_t> open;
  const auto is_known = [this](std::optional<uint32_t> place) { return place && known_[*place]; };
  const uint128 total = proposal_->total();
  for (const uint128 place : question.places) {
    if (place >= total + (values_.candidates() - near())) throw Error("selection: a part has no such place");
    const bool near = place < total;
    const size_t number = near ? proposal_->locate(place) : 0;
    const uint32_t index = near ? index_of(near_place(number)) : far_index(static_cast<uint64_t>(place - total));
    said.proposed.push_back({index, near ? proposal_->weight(number) : ExpWeights::kSmallest, 0});
    if (!is_known(place_of(index))) open.push_back(index);
  }
  std::sort(open.begin(), open.end());
  open.erase(std::unique(open.begin(), open.end()), open.end());
  said.evaluated = open.size();
  const std::vector<int64_t> values = evaluate(open);
  for (SayPlaces::Proposed& one : said.proposed) {
    const auto place = place_of(static_cast<uint32_t>(one.index));
    one.value = place ? values_.upper[*place]
                      : values[static_cast<size_t>(std::ranges::lower_bound(open, one.index) - open.begin())];
  }
  return said;
}

std::optional<uint32_t> LazyPart::place_of(uint32_t index) const {
  if (!values_.some) return index;
  const auto& indices = values_.some->indices;
  const auto found = std::ranges::lower_bound(indices, index);
  if (found == indices.end() || *found != index) return std::nullopt;
  return static_cast<uint32_t>(found - indices.begin());
}

std::vector<int64_t> LazyPart::evaluate(std::span<const uint32_t> indices) {
  std::vector<int64_t> results(indices.size());
  if (!indices.empty()) values_.evaluate(indices, results);
  for (size_t j = 0; j < indices.size(); ++j) {
    const auto place = place_of(indices[j]);
    if (results[j] > (place ? values_.upper[*place] : values_.some->rest)) {
      throw Error("selection: a score lies above its upper bound");
    }
    if (!place) continue;
    values_.upper[*place] = results[j];
    known_[*place] = 1;
  }
  return results;
}

void LazyPart::tighten(int64_t best_known) {
  if (!values_.tighten) throw Error("selection: these bounds cannot be tightened");
  std::vector<uint32_t> open, indices;
  each_near([&](uint32_t place) {
    if (known_[place]) return;
    open.push_back(place);
    indices.push_back(index_of(place));
  });
  std::vector<int64_t> results(open.size());
  values_.tighten(indices, results);
  for (size_t j = 0; j < open.size(); ++j) {
    values_.upper[open[j]] = std::min(values_.upper[open[j]], results[j]);
  }
  keep_near(best_known);
}

// The largest first; of equal ones the smaller index.
std::vector<uint32_t> LazyPart::largest_open(size_t count) const {
  const auto value = [this](uint32_t i) { return values_.upper[i]; };
  const auto before = [&](uint32_t a, uint32_t b) { return value(a) > value(b) || (value(a) == value(b) && a < b); };
  std::vector<uint32_t> chosen;
  // A heap of the best so far, its worst in front, or a selection when it would be large.
  if (count <= 1024) {
    int64_t worst = std::numeric_limits<int64_t>::min();
    each_near([&](uint32_t i) {
      if (value(i) <= worst || known_[i]) return;
      if (chosen.size() == count) {
        std::pop_heap(chosen.begin(), chosen.end(), before);
        chosen.pop_back();
      }
      chosen.push_back(i);
      std::push_heap(chosen.begin(), chosen.end(), before);
      if (chosen.size() == count) worst = value(chosen.front());
    });
  } else {
    each_near([&](uint32_t i) {
      if (!known_[i]) chosen.push_back(i);
    });
    if (chosen.size() > count) {
      std::nth_element(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(count), chosen.end(), before);
      chosen.resize(count);
    }
  }
  std::sort(chosen.begin(), chosen.end(), before);
  return chosen;
}

// What lies so far below a known value that its weight is the smallest there is, needs no weight of its own.
bool LazyPart::is_negligible(int64_t bound, int64_t best_known) const {
  return negligible_gap_ && bound < best_known && static_cast<uint64_t>(best_known - bound) >= *negligible_gap_;
}

void LazyPart::keep_near(int64_t best_known) {
  if (leaves_out() && !is_negligible(values_.some->rest, best_known)) {
    throw Error("selection: a candidate that counts was left out");
  }
  const auto negligible = [&](uint32_t place) { return is_negligible(values_.upper[place], best_known); };
  if (!all_near_) {
    std::erase_if(near_, negligible);
    return;
  }
  uint32_t same = 0;
  while (same < known_.size() && !negligible(same)) ++same;
  if (same == known_.size()) return;
  all_near_ = false;
  near_.resize(same);
  std::iota(near_.begin(), near_.end(), uint32_t{0});
  for (uint32_t place = same + 1; place < known_.size(); ++place) {
    if (!negligible(place)) near_.push_back(place);
  }
}

// Near ones ascend: skip them.
uint32_t LazyPart::far_index(uint64_t rest) const {
  for (size_t j = 0; j < near(); ++j) {
    if (index_of(near_place(j)) > rest) break;
    ++rest;
  }
  return static_cast<uint32_t>(rest);
}

}  // namespace dppl
