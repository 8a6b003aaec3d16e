#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "random/simulation.h"

// Public rows around atoms, for tests of what is made of a pool.
namespace dppl::testing {

inline constexpr size_t kDim = 16;

inline std::vector<double> direction(Random& random) {
  std::vector<double> result(kDim);
  double squares = 0;
  for (double& value : result) {
    value = normal(random);
    squares += value * value;
  }
  for (double& value : result) value /= std::sqrt(squares);
  return result;
}

inline double cosine(std::span<const double> a, std::span<const double> b) {
  double ab = 0, aa = 0, bb = 0;
  for (size_t k = 0; k < a.size(); ++k) {
    ab += a[k] * b[k];
    aa += a[k] * a[k];
    bb += b[k] * b[k];
  }
  return ab / std::sqrt(aa * bb);
}

// 60 atoms, each with 20 public rows close by.
struct Pool {
  std::vector<std::vector<double>> atoms;
  std::vector<float> rows;
};
inline Pool make_pool() {
  SeededRandom random(5);
  Pool pool;
  for (int p = 0; p < 60; ++p) pool.atoms.push_back(direction(random));
  for (const auto& atom : pool.atoms) {
    for (int i = 0; i < 20; ++i) {
      double squares = 0;
      std::vector<double> row = atom;
      for (double& value : row) {
        value += 0.05 * normal(random);
        squares += value * value;
      }
      for (const double value : row) pool.rows.push_back(static_cast<float>(value / std::sqrt(squares)));
    }
  }
  return pool;
}

}  // namespace dppl::testing
