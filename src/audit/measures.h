#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "audit/sensitivity.h"
#include "rows/private_access.h"
#include "rows/records.h"
#include "statistics/bounded_sum.h"
#include "statistics/pair_scores/person_weights.h"

// What the audit measures exactly: how far one more record or person moves a sum over records.
namespace dppl {

class Worlds;

// What is summed over records, exactly, with the norm that it declares. What else it depends on, the point of a
// gradient, is drawn from `random`: public, and the same for both data sets.
struct Statistic {
  std::string name;
  std::function<BoundedSum(const Records& records, Random& random)> exact;
};

// The weights of records in selection; none: every record weighs the same.
using WeightsOf = std::function<std::vector<int64_t>(const PrivateAccess& access, size_t classes, ScoreRange range)>;

// Something that one more record or person moves, and how far of what is allowed.
struct Measure {
  std::string name;
  std::function<double(const Worlds& worlds, uint64_t seed)> share;
};

Measure measure_of(const Statistic& statistic);
// Of the selection scores of all candidates; `whole`: nothing is clipped.
Measure measure_of_scores(const std::string& name, AddUp add_up, WeightsOf weights_of = {}, bool whole = false);
// As a fit weighs the records of people; `by_size`: the smaller of a person's classes first.
WeightsOf person_weights(AddUp add_up, bool by_size = false);
// Released sizes of up to four classes.
inline constexpr double kReleasedSizes[] = {40, 3, 800, 1};

// Empty: pool, transform or records were refused.
std::optional<std::vector<Moved>> moved(const std::vector<Measure>& measures, const SensitivityCase& one);
// Over many cases.
std::vector<AuditResult> largest_moves(const std::vector<Measure>& measures, bool people, bool planted, uint64_t cases,
                                       unsigned threads);

}  // namespace dppl
