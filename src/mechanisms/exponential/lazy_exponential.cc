#include "mechanisms/exponential/lazy_exponential.h"

#include <numeric>

#include "dppl/error.h"
#include "mechanisms/utilities.h"

namespace dppl {
namespace {

Rational epsilon_of(const Budget& budget, std::span<const uint64_t> part_sizes, int64_t per_record) {
  check_candidates(std::accumulate(part_sizes.begin(), part_sizes.end(), uint64_t{0}), per_record, budget);
  return budget.bounded_range_epsilon();
}

}  // namespace

Rational exponential_unit(const Budget& budget, int64_t per_record) {
  return budget.bounded_range_epsilon() / Rational(per_record);
}

LazyExponential::LazyExponential(Budget budget, Random& random, std::vector<uint64_t> part_sizes, int64_t per_record,
                                 bool can_tighten)
    : random_(random),
      spec_(budget.spec()),
      epsilon_(epsilon_of(budget, part_sizes, per_record)),
      unit_(epsilon_ / Rational(per_record)),
      draw_(random, std::move(part_sizes), unit_, can_tighten) {}

void LazyExponential::take(std::span<const LazyAnswer> answers) {
  for (const LazyAnswer& answer : answers) {
    if (const auto* largest = std::get_if<SayLargest>(&answer)) {
      for (const int64_t bound : largest->bounds) check_score(bound);
    } else if (const auto* evaluated = std::get_if<SayEvaluated>(&answer)) {
      if (evaluated->best) check_score(*evaluated->best);
    } else if (const auto* places = std::get_if<SayPlaces>(&answer)) {
      for (const SayPlaces::Proposed& one : places->proposed) check_score(one.value);
    }
  }
  draw_.take(answers);
}

Released<size_t> LazyExponential::release() const {
  if (!draw_.is_drawn()) throw Error("selection: nothing is drawn yet");
  return {draw_.drawn().index, drawn_from(random_, Guarantee::of_bounded_range(epsilon_, spec_.relation))};
}

Released<size_t> lazy_exponential(Budget budget, Random& random, BoundedValues scores, int64_t per_record,
                                  size_t& evaluated) {
  LazyExponential draw(std::move(budget), random, {scores.candidates()}, per_record, static_cast<bool>(scores.tighten));
  LazyPart part(std::move(scores), draw.unit());
  while (!draw.is_drawn()) {
    const LazyAnswer answer[] = {part.answer(draw.questions().front().question)};
    draw.take(answer);
  }
  evaluated = draw.evaluated();
  return draw.release();
}

Released<size_t> lazy_exponential(Budget budget, Random& random, BoundedUtilities& utilities) {
  check_utilities({utilities.upper, utilities.per_record}, budget);
  return lazy_exponential(std::move(budget), random, {utilities.upper, utilities.evaluate, utilities.tighten},
                          utilities.per_record, utilities.evaluated);
}

}  // namespace dppl
