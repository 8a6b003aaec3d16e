#pragma once

#include <cstdint>
#include <functional>
#include <vector>

// Output distributions of the selection mechanisms by brute force, from their definitions and independent of their
// code.
namespace dppl::testing {

using Scores = std::vector<int64_t>;
using Distribution = std::vector<double>;
// Of scores, ε and the score that one record can add.
using Law = std::function<Distribution(const Scores&, double epsilon, int64_t per_record)>;

Distribution exponential_law(const Scores& scores, double epsilon, int64_t per_record);
Distribution permute_and_flip_law(const Scores& scores, double epsilon, int64_t per_record);
Distribution laplace_max_law(const Scores& scores, double epsilon, int64_t per_record);

// All k-subsets of {0, …, n − 1}, each ascending, in lexicographic order.
std::vector<std::vector<size_t>> subsets(size_t n, size_t k);
// Over subsets(n, k), straight from exp(ε·min/M).
Law joint_top_k_law(size_t k);
// Over subsets(n, k) when the worst rank y is drawn with weight sets(y, k)·exp(ε·u_(y)/M) and the others uniformly from
// better ranks.
Law ranked_top_k_law(size_t k, std::function<double(size_t y, size_t k)> sets);
double choose(size_t n, size_t k);

// The largest |ln(Pr[output | u] / Pr[output | u + a])| over all outputs and all a in {0, …, per_record}^n, that is
// over all neighbours.
double worst_log_ratio(const Law& law, const Scores& scores, double epsilon, int64_t per_record);

}  // namespace dppl::testing
