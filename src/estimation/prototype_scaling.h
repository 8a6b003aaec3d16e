#pragma once

#include <Eigen/Core>
#include <vector>

namespace dppl {

// From class means (classes × dim) to prototypes: seen through the metric where there is one, then scaled for the
// distance they are compared by: to unit length (cosine), or so that uncertain classes are lifted (dot). Released and
// public values only.
std::vector<float> scale_prototypes(std::vector<double> means, size_t classes, double lift,
                                    const Eigen::MatrixXd* metric = nullptr);

}  // namespace dppl
