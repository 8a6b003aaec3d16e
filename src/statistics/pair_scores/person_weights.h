#pragma once

#include "rows/records.h"
#include "statistics/pair_scores/pair_scores.h"

namespace dppl {

// How the costs of what a person moves in several classes add up: their sum counts for a pure guarantee, the sum of
// their squares for zCDP.
enum class AddUp { sum, squares };

// How much each record counts, so that all records of a person together cost no more than one record would: proof.md.
class PersonWeights {
 public:
  // 1 is so many parts, which 1 to 10 records of a person share exactly; the weights of more than 10^8 would be 0.
  static constexpr int64_t kDenominator = int64_t{2520} << 16;

  // Of people and labels as they are now.
  PersonWeights(const PrivateAccess& access, size_t classes, ScoreRange range, AddUp add_up,
                std::span<const double> class_sizes);

  // One weight per record. Throws Error for records whose people or labels are not those that it was made for.
  std::span<const int64_t> of(const PrivateAccess& access) const&;
  std::span<const int64_t> of(const PrivateAccess& access) && = delete;  // it would not outlive the call

  // How many units of the scores (ScoreRange::per_record() in all) a person may move in each of so many classes.
  // `sizes`: of these classes, where the smaller are to get more; empty: equal.
  static std::vector<int64_t> steps(size_t classes, std::span<const double> sizes, int64_t per_record, AddUp add_up);

 private:
  Digest made_for_;
  std::vector<int64_t> weights_;
};

}  // namespace dppl
