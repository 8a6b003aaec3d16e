#include "statistics/class_sums/class_sums.h"

#include "rows/integer_row.h"
#include "statistics/clip_person.h"
#include "statistics/sum_over_records.h"

namespace dppl {
namespace {

// The sums of one person, class after class: the stack that is clipped as a whole.
template <typename Integers>
class PersonStack {
 public:
  PersonStack(const Records& records, const Integers& integers)
      : labels_(records.labels()), sizes_(records.class_sizes), dim_(records.dim()), integers_(integers) {}

  void see(size_t i, std::span<const float> row) {
    const auto label = static_cast<size_t>(labels_[i]);
    if (classes_.empty() || classes_.back() != label) {
      classes_.push_back(label);
      stack_.resize(classes_.size() * dim_);
    }
    integers_(i, row, std::span(stack_).last(dim_));
  }

  void leave(size_t, std::span<int64_t> sums) {
    if (!sizes_.empty()) turn_to_small_classes();
    clip_person(stack_, kRadius);
    for (size_t j = 0; j < stack_.size(); ++j) sums[classes_[j / dim_] * dim_ + j % dim_] += stack_[j];
    classes_.clear();
    stack_.clear();
  }

 private:
  // The sum of each class is made shorter by how much larger the class is than the smallest one of this person.
  void turn_to_small_classes() {
    double smallest = sizes_[classes_.front()];
    for (const size_t c : classes_) smallest = std::min(smallest, sizes_[c]);
    for (size_t j = 0; j < stack_.size(); ++j) {
      const double share = smallest / sizes_[classes_[j / dim_]];
      stack_[j] = static_cast<int64_t>(static_cast<double>(stack_[j]) * share);
    }
  }

  std::span<const int64_t> labels_;
  std::span<const double> sizes_;
  size_t dim_;
  const Integers& integers_;
  std::vector<size_t> classes_;
  std::vector<int64_t> stack_;
};

// integers(row number, row, sum of its class) adds a record's own.
template <typename Integers>
BoundedSum sum_by_class(const Records& records, const Integers& integers) {
  const size_t dim = records.dim(), size = records.classes * dim;
  const NormBound bound = NormBound::added(kRadius, relation_of(records.access));
  if (records.access.people() != nullptr) {
    check_class_sizes(records.class_sizes, records.classes);
    return {sum_over_people(records, size, [&] { return PersonStack(records, integers); }), bound};
  }
  return {sum_over_records(records, size,
                           [&](size_t i, std::span<const float> row, std::span<int64_t> sums) {
                             integers(i, row, sums.subspan(static_cast<size_t>(records.labels()[i]) * dim, dim));
                           }),
          bound};
}

}  // namespace

BoundedSum class_sums(const Records& records) {
  return sum_by_class(records,
                      [](size_t, std::span<const float> row, std::span<int64_t> sum) { add_integer_row(row, 0, sum); });
}

BoundedSum class_sums(const Records& records, SmallRows& kept) {
  return sum_by_class(records, [&](size_t i, std::span<const float> row, std::span<int64_t> sum) {
    thread_local std::vector<int32_t> integers;
    integers.resize(row.size());
    integer_row(row, 0, integers);
    for (size_t k = 0; k < integers.size(); ++k) sum[k] += integers[k];
    kept.set(i, integers);
  });
}

}  // namespace dppl
