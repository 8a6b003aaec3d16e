#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

// From class means (classes × dim) to prototypes of unit length. Released and public values only.
namespace dppl {

// As they are.
std::vector<float> unit_prototypes(std::span<const double> means, size_t classes);

// Seen through a metric; each of length 1 in it.
std::vector<float> metric_prototypes(std::vector<double> means, const Eigen::MatrixXd& metric);

// Each direction divided by the square root of its variance, then unit length. Releasing wants the leading directions
// ahead, where the signal is; comparing wants round classes, and this is half of the way from the one to the other.
std::vector<double> compared_whiter(std::span<const double> means, std::span<const double> variances);

}  // namespace dppl
