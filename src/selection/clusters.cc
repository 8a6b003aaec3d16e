#include "selection/clusters.h"

#include <cmath>

#include "kernels/row_math.h"
#include "selection/constants.h"

namespace dppl {
namespace {

// The mean direction of some rows, of unit length.
std::vector<double> centre_of(const QuantisedRows& rows, const std::vector<uint32_t>& members) {
  std::vector<int64_t> sum(rows.dim());
  for (const uint32_t i : members) {
    add_multiple(rows.row(i), rows.dim(), static_cast<int32_t>(rows.factor(i)), sum.data());
  }
  std::vector<double> centre(sum.begin(), sum.end());
  double squares = 0;
  for (const double value : centre) squares += value * value;
  for (double& value : centre) value /= std::sqrt(std::max(squares, 1.0));
  return centre;
}

}  // namespace

std::vector<std::vector<uint32_t>> cluster(const QuantisedRows& rows, size_t count) {
  std::vector<std::vector<uint32_t>> groups;
  for (size_t j = 0; j < std::min(count, rows.rows()); ++j) {
    groups.push_back({static_cast<uint32_t>(j * rows.rows() / count)});
  }
  for (int round = 0; round < kClusterRounds; ++round) {
    std::vector<std::vector<double>> centres;
    for (const auto& group : groups) centres.push_back(centre_of(rows, group));
    for (auto& group : groups) group.clear();
    for (size_t i = 0; i < rows.rows(); ++i) {
      size_t best = 0;
      double largest = -HUGE_VAL;
      for (size_t j = 0; j < centres.size(); ++j) {
        const double similarity = byte_dot(rows.row(i), centres[j].data(), rows.dim());
        if (similarity > largest) {
          largest = similarity;
          best = j;
        }
      }
      groups[best].push_back(static_cast<uint32_t>(i));
    }
    std::erase_if(groups, [](const auto& group) { return group.empty(); });
  }
  return groups;
}

}  // namespace dppl
