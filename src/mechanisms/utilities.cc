#include "mechanisms/utilities.h"

#include <fmt/format.h>

#include <limits>

#include "dppl/error.h"

namespace dppl {

void check_utilities(const Utilities& utilities, const Budget& budget) {
  constexpr int64_t kLargest = int64_t{1} << 62;
  if (budget.spec().relation == Relation::replace_in_class) {
    throw InvalidInput(
        fmt::format("selection: the proof is for neighbours add-remove, the budget says {}; state it for add-remove",
                    to_string(budget.spec().relation)));
  }
  if (utilities.values.empty())
    throw InvalidInput("selection: there are no candidates; give a pool with at least one row");
  if (utilities.values.size() > std::numeric_limits<uint32_t>::max()) {
    throw InvalidInput(
        fmt::format("selection: {} candidates; at most 2^32 - 1 are supported", utilities.values.size()));
  }
  if (utilities.per_record <= 0) {
    throw InvalidInput(fmt::format("selection: per_record is {}; it must be above 0", utilities.per_record));
  }
  for (const int64_t value : utilities.values) {
    if (value < 0 || value > kLargest) throw InvalidInput("selection: a score lies outside [0, 2^62]");
  }
}

Guarantee drawn_from(const Random& random, Guarantee guarantee) {
  guarantee.is_private = guarantee.is_private && random.is_private();
  return guarantee;
}

}  // namespace dppl
