#include "statistics/pair_scores/person_weights.h"

#include <algorithm>
#include <cmath>

#include "base/strict_math.h"
#include "dppl/error.h"
#include "statistics/clip_person.h"

namespace dppl {
namespace {

bool fit_together(std::span<const int64_t> steps, int64_t per_record, AddUp add_up) {
  int128 total = 0;
  for (const int64_t step : steps) total += add_up == AddUp::sum ? step : static_cast<int128>(step) * step;
  return total <= (add_up == AddUp::sum ? per_record : static_cast<int128>(per_record) * per_record);
}

// 1 for each class, or how much smaller the smallest one is. From 0 to 1, so that nothing overflows.
std::vector<double> wishes(size_t classes, std::span<const double> sizes) {
  std::vector<double> result(classes, 1);
  for (size_t j = 0; j < sizes.size(); ++j) result[j] = std::ranges::min(sizes) / sizes[j];
  return result;
}

}  // namespace

// Computed in doubles, rounded down, and checked in integers: where roundings were in the way, everybody steps back by
// one unit.
std::vector<int64_t> PersonWeights::steps(size_t classes, std::span<const double> sizes, int64_t per_record,
                                          AddUp add_up) {
  if (classes == 1) return {per_record};
  const std::vector<double> wanted = wishes(classes, sizes);
  double norm = 0;
  for (const double wish : wanted) norm += add_up == AddUp::sum ? wish : wish * wish;
  if (add_up == AddUp::squares) norm = std::sqrt(norm);
  std::vector<int64_t> result;
  for (const double wish : wanted) {
    result.push_back(static_cast<int64_t>(static_cast<double>(per_record) * (wish / norm)));
  }
  while (!fit_together(result, per_record, add_up)) {
    for (int64_t& step : result) step = std::max<int64_t>(step - 1, 0);
  }
  return result;
}

PersonWeights::PersonWeights(const PrivateAccess& access, size_t classes, ScoreRange range, AddUp add_up,
                             std::span<const double> class_sizes)
    : made_for_(access.people()->digest(access.labels())), weights_(access.size()) {
  check_class_sizes(class_sizes, classes);
  const People& people = *access.people();
  struct Part {
    size_t begin, end;
  };
  std::vector<Part> parts;
  std::vector<double> sizes;
  for (size_t p = 0; p < people.size(); ++p) {
    parts.clear();
    sizes.clear();
    each_class_of(access.labels(), people.begin(p), people.end(p), [&](int64_t label, size_t begin, size_t end) {
      parts.push_back({begin, end});
      if (!class_sizes.empty()) sizes.push_back(class_sizes[static_cast<size_t>(label)]);
    });
    const std::vector<int64_t> steps = PersonWeights::steps(parts.size(), sizes, range.per_record(), add_up);
    for (size_t j = 0; j < parts.size(); ++j) {
      const int128 most = (static_cast<int128>(steps[j]) * kDenominator << range.shift()) / range.top();
      const auto of_class = static_cast<int64_t>(std::min<int128>(most, kDenominator));
      const auto records = static_cast<int64_t>(parts[j].end - parts[j].begin);
      std::fill(weights_.begin() + static_cast<std::ptrdiff_t>(parts[j].begin),
                weights_.begin() + static_cast<std::ptrdiff_t>(parts[j].end), of_class / records);
    }
  }
}

std::span<const int64_t> PersonWeights::of(const PrivateAccess& access) const& {
  const bool same = access.people() != nullptr && access.people()->digest(access.labels()) == made_for_;
  if (!same) throw Error("person weights: they were made for other people or labels; make them again");
  return weights_;
}

}  // namespace dppl
