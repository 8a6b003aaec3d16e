#pragma once

#include <Eigen/Core>
#include <vector>

#include "estimation/refinement.h"
#include "random/simulation.h"
#include "statistics/class_sums/class_sums.h"
#include "statistics/gradient_sum/gradient_sum.h"

// Records and a point of softmax regression, for tests of gradients and of what is made of them.
namespace dppl::testing {

inline constexpr size_t kDim = 24, kClasses = 5;
inline constexpr double kNorm = static_cast<double>(kSmallRadius * kSmallRadius);

struct Sample {
  std::vector<float> values;
  std::vector<int64_t> labels;

  void add(std::span<const float> row, int64_t label, bool in_front) {
    values.insert(in_front ? values.begin() : values.end(), row.begin(), row.end());
    labels.insert(in_front ? labels.begin() : labels.end(), label);
  }
  PrivateData data() const { return PrivateData::from_memory(values, kDim, labels, ClassSet::numbered(kClasses)); }
};
inline Sample sample_of(size_t count) {
  SeededRandom random(20);
  Sample result;
  for (size_t i = 0; i < count * kDim; ++i) result.values.push_back(static_cast<float>(normal(random)));
  for (size_t i = 0; i < count; ++i) result.labels.push_back(static_cast<int64_t>(random.next64() % kClasses));
  return result;
}

// Somewhere on the way, with classes of different sizes.
inline Refinement somewhere() {
  SeededRandom random(21);
  Posterior start{std::vector<double>(kClasses * kDim), {100, 50, 20, 10, 0.1}};
  for (double& value : start.means) value = 0.2 * normal(random);
  return Refinement(start, std::vector<double>(kDim, 1.0), {.rate = 1, .steps = 30}, 1);
}

inline BoundedSum exact_sum(const Sample& of, const Refinement& at, unsigned threads = 2) {
  const PublicTransform transform = PublicTransform::restore({}, kDim, {}, {});
  const PrivateData data = of.data();
  const PrivateAccess access(data);
  SmallRows rows(access.size(), kDim);
  class_sums({access, kClasses, transform, threads}, rows);
  return GradientSums(rows, access, threads).at({at.weights(), at.offsets()});
}
inline std::vector<int64_t> exact(const Sample& of, const Refinement& at, unsigned threads = 2) {
  return exact_sum(of, at, threads).values;
}

// (p − y)·xᵀ of a record, not clipped.
inline Eigen::MatrixXd gradient_by_hand(std::span<const float> values, size_t label, const Refinement& at) {
  Eigen::VectorXd row(kDim), scores(kClasses);
  for (size_t k = 0; k < kDim; ++k) row(static_cast<Eigen::Index>(k)) = static_cast<double>(values[k]);
  row.normalize();
  for (size_t c = 0; c < kClasses; ++c) {
    scores(static_cast<Eigen::Index>(c)) = at.offsets()[c];
    for (size_t k = 0; k < kDim; ++k) {
      scores(static_cast<Eigen::Index>(c)) += at.weights()[c * kDim + k] * row(static_cast<Eigen::Index>(k));
    }
  }
  Eigen::VectorXd residual = (scores.array() - scores.maxCoeff()).exp();
  residual /= residual.sum();
  residual(static_cast<Eigen::Index>(label)) -= 1;
  return residual * row.transpose();
}

}  // namespace dppl::testing
