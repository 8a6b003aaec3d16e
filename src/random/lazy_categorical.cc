#include "random/lazy_categorical.h"

#include <algorithm>
#include <limits>

#include "base/strict_math.h"
#include "dppl/error.h"
#include "random/constants.h"
#include "random/uniform.h"

namespace dppl {
namespace {

void require(bool holds) {
  if (!holds) throw Error("selection: a part gave an answer that no part gives");
}

}  // namespace

LazyCategorical::LazyCategorical(Random& random, std::vector<uint64_t> part_sizes, const Rational& unit,
                                 bool can_tighten)
    : random_(random), exp_(unit), can_tighten_(can_tighten), parts_(part_sizes.size()), batch_(kFirstLargest) {
  uint64_t first = 0;
  for (size_t p = 0; p < parts_.size(); ++p) {
    parts_[p].size = part_sizes[p];
    parts_[p].first = first;
    if (part_sizes[p] > 0) parts_[p].open = std::numeric_limits<int64_t>::max();
    first += part_sizes[p];
  }
  ask_largest(std::nullopt);
}

void LazyCategorical::take(std::span<const LazyAnswer> answers) {
  if (answers.size() != questions_.size()) throw Error("selection: not every question has an answer");
  (this->*next_)(answers);
}

template <typename Answer>
const Answer& LazyCategorical::expect(const LazyAnswer& answer) const {
  const Answer* one = std::get_if<Answer>(&answer);
  require(one != nullptr);
  return *one;
}

// ---- The values with the largest bounds of all parts. Most parts have few of these: they are asked for their share
// and some more, and again where that was not enough.

void LazyCategorical::ask_largest(std::optional<int64_t> tighten_for) {
  if (parts_.size() == 1) {
    if (!parts_[0].open) return ask_weights();
    questions_.assign(1, {0, AskEvaluate{batch_, tighten_for}});
    next_ = &LazyCategorical::take_evaluated;
    return;
  }
  const uint64_t share = std::min(batch_, 4 * batch_ / parts_.size() + 8);
  questions_.clear();
  for (size_t p = 0; p < parts_.size(); ++p) {
    parts_[p].bounds.clear();
    parts_[p].asked = share;
    if (parts_[p].size > 0) questions_.push_back({p, AskLargest{share, tighten_for}});
  }
  next_ = &LazyCategorical::take_largest;
}

void LazyCategorical::take_largest(std::span<const LazyAnswer> answers) {
  for (size_t j = 0; j < answers.size(); ++j) {
    Part& part = parts_[questions_[j].part];
    part.bounds = expect<SayLargest>(answers[j]).bounds;
    require(part.bounds.size() <= part.asked);
    require(std::is_sorted(part.bounds.begin(), part.bounds.end(), std::greater<>()));
    part.open = part.bounds.empty() ? std::nullopt : std::optional(part.bounds.front());
  }
  // The order of all: by bound, then by index, and so by part where bounds are equal.
  std::vector<std::pair<int64_t, size_t>> all;
  for (size_t p = 0; p < parts_.size(); ++p) {
    for (const int64_t bound : parts_[p].bounds) all.emplace_back(bound, p);
  }
  const auto before = [](const auto& a, const auto& b) {
    return a.first > b.first || (a.first == b.first && a.second < b.second);
  };
  if (all.size() > batch_) {
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(batch_), all.end(), before);
    all.resize(batch_);
  }
  std::vector<uint64_t> chosen(parts_.size());
  for (const auto& [bound, p] : all) ++chosen[p];

  questions_.clear();
  for (size_t p = 0; p < parts_.size(); ++p) {
    // All that it told is among the largest, and it may have more.
    if (chosen[p] < parts_[p].asked || parts_[p].asked == batch_) continue;
    parts_[p].asked = std::min(batch_, 4 * parts_[p].asked);
    questions_.push_back({p, AskLargest{parts_[p].asked}});
  }
  if (!questions_.empty()) return;
  for (size_t p = 0; p < parts_.size(); ++p) {
    if (chosen[p] > 0) questions_.push_back({p, AskEvaluate{chosen[p]}});
  }
  next_ = &LazyCategorical::take_evaluated;
  if (questions_.empty()) ask_weights();
}

void LazyCategorical::take_evaluated(std::span<const LazyAnswer> answers) {
  for (size_t j = 0; j < answers.size(); ++j) {
    const auto& said = expect<SayEvaluated>(answers[j]);
    Part& part = parts_[questions_[j].part];
    const uint64_t asked = std::get<AskEvaluate>(questions_[j].question).count;
    require(said.count <= asked && (said.count == asked || !said.open) && said.best.has_value() == (said.count > 0));
    require(said.best <= part.open && said.open <= part.open);
    part.open = said.open;
    evaluated_ += said.count;
    best_known_ = std::max(best_known_, said.best);
  }
  ask_weights();
}

// ---- The weights. What is not known has the weight of its bound; what is negligible beside a known value, the
// smallest that there is.

void LazyCategorical::ask_weights() {
  require(best_known_.has_value());
  largest_ = *best_known_;
  questions_.clear();
  for (const Part& part : parts_) largest_ = std::max(largest_, part.open.value_or(largest_));
  for (size_t p = 0; p < parts_.size(); ++p) {
    if (parts_[p].size > 0) questions_.push_back({p, AskWeigh{*best_known_, largest_}});
  }
  next_ = &LazyCategorical::take_weights;
}

void LazyCategorical::take_weights(std::span<const LazyAnswer> answers) {
  constexpr uint128 kLargestWeight = (uint128{1} << 63) + 2;
  near_ = far_ = 0;
  total_ = 0;
  uint128 known = 0;
  for (size_t j = 0; j < answers.size(); ++j) {
    const auto& said = expect<SayWeighed>(answers[j]);
    Part& part = parts_[questions_[j].part];
    require(said.near <= part.size && said.total >= said.near && said.total <= said.near * kLargestWeight);
    require(said.known <= said.total);
    part.near = said.near;
    part.total = said.total;
    near_ += part.near;
    far_ += part.far();
    total_ += part.total;
    known += said.known;
  }
  done_ = 0;
  known_part_ = static_cast<double>(known) / static_cast<double>(total_);
  accepted_ = 0;
  together_ = kFirstProposals;
  ask_places();
}

// ---- Proposals: a place in the weights of the near ones, one part behind the other, and behind them in those of all
// others together.

void LazyCategorical::ask_places() {
  questions_.clear();
  proposed_.clear();
  std::vector<uint128> near_ends;
  std::vector<uint64_t> far_ends;
  uint128 near_end = 0;
  uint64_t far_end = 0;
  for (const Part& part : parts_) {
    near_ends.push_back(near_end += part.total);
    far_ends.push_back(far_end += part.far());
  }
  const auto find = [](const auto& ends, auto position) {
    return static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), position) - ends.begin());
  };
  constexpr size_t kNotAsked = std::numeric_limits<size_t>::max();
  std::vector<size_t> question_of(parts_.size(), kNotAsked);
  for (size_t j = 0; j < together_; ++j) {
    uint128 position = uniform_below(random_, total_ + static_cast<uint128>(ExpWeights::kSmallest) * far_);
    const bool near = position < total_;
    if (!near) position = uniform_below(random_, far_);
    const size_t p = near ? find(near_ends, position) : find(far_ends, static_cast<uint64_t>(position));
    const uint128 place = near ? position - (near_ends[p] - parts_[p].total)
                               : position - (far_ends[p] - parts_[p].far()) + parts_[p].total;
    if (question_of[p] == kNotAsked) {
      question_of[p] = questions_.size();
      questions_.push_back({p, AskPlaces{}});
    }
    auto& places = std::get<AskPlaces>(questions_[question_of[p]].question).places;
    proposed_.push_back({question_of[p], places.size(), p});
    places.push_back(place);
  }
  next_ = &LazyCategorical::take_places;
}

void LazyCategorical::take_places(std::span<const LazyAnswer> answers) {
  for (size_t j = 0; j < answers.size(); ++j) {
    const auto& said = expect<SayPlaces>(answers[j]);
    require(said.proposed.size() == std::get<AskPlaces>(questions_[j].question).places.size());
    for (const SayPlaces::Proposed& one : said.proposed) {
      require(one.index < parts_[questions_[j].part].size && one.value <= largest_);
      require(one.weight >= least_weight(one.value) && one.weight > 0);
      best_known_ = std::max(*best_known_, one.value);
    }
    require(said.evaluated <= said.proposed.size());
    evaluated_ += said.evaluated;
  }
  for (const Proposed& one : proposed_) {
    const auto& said = std::get<SayPlaces>(answers[one.question]).proposed[one.place];
    accepted_ += static_cast<double>(least_weight(said.value)) / static_cast<double>(said.weight);
    if (!exp_.accept(random_, said.weight, static_cast<uint64_t>(largest_ - said.value))) continue;
    index_ = parts_[one.part].first + said.index;
    questions_.clear();
    return;
  }
  done_ += together_;
  together_ *= 2;
  if (done_ < batch_ && hope() >= kLeastHope) return ask_places();
  batch_ *= 2;
  const bool tighten = batch_ == kTightenAt && can_tighten_ && near_ > 2 * kTightenAt;
  ask_largest(tighten ? best_known_ : std::nullopt);
}

// How many of a round's proposals are accepted on average, or more: what is known nearly always, and of all as many as
// of those that were made. The same for any number of parts: weights are whole numbers, and proposals have one order.
double LazyCategorical::hope() const {
  return (known_part_ + accepted_ / static_cast<double>(done_)) * static_cast<double>(batch_);
}

LazyDraw lazy_categorical_exp(Random& random, std::span<LazyPart* const> parts, std::vector<uint64_t> part_sizes,
                              const Rational& unit, bool can_tighten) {
  LazyCategorical draw(random, std::move(part_sizes), unit, can_tighten);
  std::vector<LazyAnswer> answers;
  while (!draw.is_drawn()) {
    answers.clear();
    for (const auto& [part, question] : draw.questions()) answers.push_back(parts[part]->answer(question));
    draw.take(answers);
  }
  return draw.drawn();
}

LazyDraw lazy_categorical_exp(Random& random, const BoundedValues& values, const Rational& unit) {
  LazyPart part(values, unit);
  LazyPart* const parts[] = {&part};
  return lazy_categorical_exp(random, parts, {values.candidates()}, unit, static_cast<bool>(values.tighten));
}

}  // namespace dppl
