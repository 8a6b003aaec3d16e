#include "statistics/class_counts/class_counts.h"

namespace dppl {

BoundedSum class_counts(std::span<const int64_t> labels, size_t classes) {
  BoundedSum counts{std::vector<int64_t>(classes), NormBound::added(1)};
  for (const int64_t label : labels) ++counts.values[static_cast<size_t>(label)];
  return counts;
}

}  // namespace dppl
