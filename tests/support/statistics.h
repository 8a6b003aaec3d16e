#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace dppl::testing {

// The level of every statistical test: one that fails by chance does so once in a million runs.
inline constexpr double kAlpha = 1e-6;

// Pearson's chi-square p-value of counts against exact probabilities (which sum to 1). Cells that expect fewer than 10
// are merged into their neighbour, so tails count as one cell each and not as none.
double chi_square_p_value(const std::vector<uint64_t>& counts, const std::vector<double>& probabilities);

// Counts of n draws on {0, …, cells − 1}; a value outside fails the calling test.
std::vector<uint64_t> count_draws(uint64_t n, size_t cells, const std::function<size_t()>& draw);

// A distribution on the integers cut into cells: cell i holds edges[i] <= x < edges[i + 1], the outer ones reach to
// infinity.
struct Cells {
  std::vector<int64_t> edges;  // inner edges, ascending
  std::vector<double> probabilities;

  size_t cell_of(int64_t x) const;
};

// Cells of about equal probability for a distribution with weights w(x) on [-reach, reach] (zero or negligible
// outside).
Cells make_cells(int64_t reach, size_t cells, const std::function<long double(int64_t)>& weight);

// p-value of n draws against those cells.
double p_value(const Cells& cells, uint64_t n, const std::function<int64_t()>& draw);

}  // namespace dppl::testing
