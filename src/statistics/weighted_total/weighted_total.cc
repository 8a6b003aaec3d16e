#include "statistics/weighted_total/weighted_total.h"

#include <algorithm>

#include "dppl/error.h"
#include "rows/integer_row.h"
#include "statistics/sum_over_records.h"

namespace dppl {
namespace {

// The mean of one person's rows.
template <typename Add>
class PersonMean {
 public:
  PersonMean(size_t dim, const Add& add) : add_(add), sum_(dim) {}

  void see(size_t i, std::span<const float> row) { add_(i, row, sum_); }

  void leave(size_t records, std::span<int64_t> total) {
    for (size_t k = 0; k < sum_.size(); ++k) total[k] += sum_[k] / static_cast<int64_t>(records);
    std::ranges::fill(sum_, 0);
  }

 private:
  const Add& add_;
  std::vector<int64_t> sum_;
};

}  // namespace

BoundedSum weighted_total(const Records& records, std::span<const int64_t> weights, double clip) {
  const auto outside = [](int64_t weight) { return weight < 0 || weight > kFullWeight; };
  if (weights.size() != records.classes || std::ranges::any_of(weights, outside)) {
    throw Error("weighted total: needs one weight per class, each from 0 to the full weight");
  }
  const auto add = [&](size_t i, std::span<const float> row, std::span<int64_t> sum) {
    thread_local std::vector<int32_t> integers;
    integers.resize(row.size());
    integer_row(row, clip, integers);
    const int64_t weight = weights[static_cast<size_t>(records.labels()[i])];
    for (size_t k = 0; k < integers.size(); ++k) sum[k] += integers[k] * weight / kFullWeight;
  };
  const NormBound bound = NormBound::added(kRadius, relation_of(records.access));
  if (records.access.people() == nullptr) return {sum_over_records(records, records.dim(), add), bound};
  return {sum_over_people(records, records.dim(), [&] { return PersonMean(records.dim(), add); }), bound};
}

}  // namespace dppl
