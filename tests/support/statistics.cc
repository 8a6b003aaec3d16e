#include "support/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <numeric>

namespace dppl::testing {

double chi_square_p_value(const std::vector<uint64_t>& counts, const std::vector<double>& probabilities) {
  EXPECT_EQ(counts.size(), probabilities.size());
  const auto n = static_cast<double>(std::accumulate(counts.begin(), counts.end(), uint64_t{0}));
  EXPECT_NEAR(std::accumulate(probabilities.begin(), probabilities.end(), 0.0), 1.0, 1e-9);

  std::vector<std::pair<double, double>> cells;  // expected, observed
  std::pair<double, double> open{0, 0};
  for (size_t i = 0; i < counts.size(); ++i) {
    open.first += n * probabilities[i];
    open.second += static_cast<double>(counts[i]);
    if (open.first >= 10) {
      cells.push_back(open);
      open = {0, 0};
    }
  }
  if (!cells.empty()) {
    cells.back().first += open.first;
    cells.back().second += open.second;
  }
  if (cells.size() < 2) {
    ADD_FAILURE() << "fewer than two cells: the test has no power";
    return 0;
  }
  double statistic = 0;
  for (const auto& [expected, observed] : cells) statistic += (observed - expected) * (observed - expected) / expected;
  return boost::math::cdf(complement(boost::math::chi_squared(static_cast<double>(cells.size() - 1)), statistic));
}

std::vector<uint64_t> count_draws(uint64_t n, size_t cells, const std::function<size_t()>& draw) {
  std::vector<uint64_t> counts(cells);
  for (uint64_t i = 0; i < n; ++i) {
    const size_t cell = draw();
    if (cell >= cells) {
      ADD_FAILURE() << "drew " << cell << ", outside of " << cells << " cells";
      return counts;
    }
    ++counts[cell];
  }
  return counts;
}

size_t Cells::cell_of(int64_t x) const {
  return static_cast<size_t>(std::upper_bound(edges.begin(), edges.end(), x) - edges.begin());
}

Cells make_cells(int64_t reach, size_t cells, const std::function<long double(int64_t)>& weight) {
  long double total = 0;
  for (int64_t x = -reach; x <= reach; ++x) total += weight(x);
  Cells result;
  long double cell = 0;
  for (int64_t x = -reach; x <= reach; ++x) {
    cell += weight(x);
    if (cell >= total / static_cast<long double>(cells) && x < reach) {
      result.edges.push_back(x + 1);
      result.probabilities.push_back(static_cast<double>(cell / total));
      cell = 0;
    }
  }
  result.probabilities.push_back(static_cast<double>(cell / total));
  return result;
}

double p_value(const Cells& cells, uint64_t n, const std::function<int64_t()>& draw) {
  return chi_square_p_value(count_draws(n, cells.probabilities.size(), [&] { return cells.cell_of(draw()); }),
                            cells.probabilities);
}

}  // namespace dppl::testing
