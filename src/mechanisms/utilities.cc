#include "mechanisms/utilities.h"

#include <fmt/format.h>

#include <limits>

#include "dppl/error.h"

namespace dppl {

void check_candidates(uint64_t candidates, int64_t per_record, const Budget& budget) {
  if (budget.spec().relation == Relation::replace_in_class) {
    throw InvalidInput(
        fmt::format("selection: the proof is for neighbours add-remove, the budget says {}; state it for add-remove",
                    to_string(budget.spec().relation)));
  }
  if (candidates == 0) throw InvalidInput("selection: there are no candidates; give a pool with at least one row");
  if (candidates > std::numeric_limits<uint32_t>::max()) {
    throw InvalidInput(fmt::format("selection: {} candidates; at most 2^32 - 1 are supported", candidates));
  }
  if (per_record <= 0) {
    throw InvalidInput(fmt::format("selection: per_record is {}; it must be above 0", per_record));
  }
}

void check_score(int64_t score) {
  constexpr int64_t kLargest = int64_t{1} << 62;
  if (score < 0 || score > kLargest) throw InvalidInput("selection: a score lies outside [0, 2^62]");
}

void check_utilities(const Utilities& utilities, const Budget& budget) {
  check_candidates(utilities.values.size(), utilities.per_record, budget);
  for (const int64_t value : utilities.values) check_score(value);
}

Guarantee drawn_from(const Random& random, Guarantee guarantee) {
  guarantee.is_private = guarantee.is_private && random.is_private();
  return guarantee;
}

}  // namespace dppl
