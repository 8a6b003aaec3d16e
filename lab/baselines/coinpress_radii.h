#pragma once

#include <algorithm>
#include <cmath>

namespace dppl {

// How far from a centre CoinPress (Biswas, Dong, Kamath & Ullman 2020) looks for the rows of a class, step by step.
// From public numbers alone. Rows have length 1, so that a record's deviation from its mean has variance at most 1/dim
// in each coordinate, about.
class CoinPressRadii {
 public:
  // `tail`: the probability of a deviation that is longer than expected.
  CoinPressRadii(size_t dim, double tail, double radius)
      : dim_(static_cast<double>(dim)), bound_(normal_length_bound(dim_, tail)), radius_(radius) {}

  double radius() const { return radius_; }  // the mean is expected to be this near the centre
  double clip() const {
    const double spread = bound_ / std::sqrt(dim_);
    return std::min(std::sqrt(radius_ * radius_ + 6 * radius_ / std::sqrt(dim_) + spread * spread), radius_ + spread);
  }
  // After a step that moved the centre to the mean of so many records, with noise of this standard deviation.
  void narrow(double records, double noise) { radius_ = std::sqrt(1 / (records * dim_) + noise * noise) * bound_; }

 private:
  // A standard normal vector is longer than this with probability at most `tail` (Laurent & Massart 2000).
  static double normal_length_bound(double dim, double tail) {
    const double l = std::log(1 / tail);
    return std::sqrt(dim + 2 * std::sqrt(dim * l) + 2 * l);
  }

  double dim_, bound_, radius_;
};

}  // namespace dppl
