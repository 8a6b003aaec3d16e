#include "statistics/class_counts/class_counts.h"

namespace dppl {
namespace {

int64_t main_class(std::span<const int64_t> labels, size_t begin, size_t end) {
  int64_t best = labels[begin];
  size_t most = 0;
  each_class_of(labels, begin, end, [&](int64_t label, size_t from, size_t to) {
    if (to - from <= most) return;
    most = to - from;
    best = label;
  });
  return best;
}

}  // namespace

BoundedSum class_counts(const PrivateAccess& access, size_t classes) {
  BoundedSum counts{std::vector<int64_t>(classes), NormBound::added(1, relation_of(access))};
  if (const People* people = access.people()) {
    for (size_t p = 0; p < people->size(); ++p) {
      ++counts.values[static_cast<size_t>(main_class(access.labels(), people->begin(p), people->end(p)))];
    }
  } else {
    for (const int64_t label : access.labels()) ++counts.values[static_cast<size_t>(label)];
  }
  return counts;
}

}  // namespace dppl
