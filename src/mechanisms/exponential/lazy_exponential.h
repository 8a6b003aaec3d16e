#pragma once

#include "dppl/mechanisms.h"
#include "random/lazy_categorical.h"

namespace dppl {

// lazy_exponential() for candidates in parts (random/lazy_part.h), which may be on other machines: the same law and,
// for the same source of randomness, the same choice. The budget is spent when this is made, whatever becomes of it:
// where a part is lost for good nothing is released, and another draw needs a budget of its own.
class LazyExponential {
 public:
  // What holds for BoundedUtilities holds here. Throws InvalidInput for what cannot be used; nothing is drawn then.
  LazyExponential(Budget budget, Random& random, std::vector<uint64_t> part_sizes, int64_t per_record,
                  bool can_tighten);

  // Of the parts' weights.
  const Rational& unit() const { return unit_; }
  const std::vector<LazyCategorical::PartQuestion>& questions() const { return draw_.questions(); }
  void take(std::span<const LazyAnswer> answers);

  bool is_drawn() const { return draw_.is_drawn(); }
  Released<size_t> release() const;
  size_t evaluated() const { return draw_.drawn().evaluated; }

 private:
  Random& random_;
  BudgetSpec spec_;
  Rational epsilon_, unit_;
  LazyCategorical draw_;
};

// Of the weights of the exponential mechanism with this budget: ε/per_record.
Rational exponential_unit(const Budget& budget, int64_t per_record);

// All in one place. `evaluated` becomes the number of scores that were asked for.
Released<size_t> lazy_exponential(Budget budget, Random& random, BoundedValues scores, int64_t per_record,
                                  size_t& evaluated);

}  // namespace dppl
