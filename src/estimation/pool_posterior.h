#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dppl/transform.h"

// Shrinkage to the pool: a class mean is expected near atoms, where public rows are dense. Works on released sums and
// public rows only, so it is post-processing and costs no budget.
namespace dppl {

// Atoms: unit vectors, each the mean direction of a public row and its nearest neighbours.
struct PoolPrior {
  size_t dim = 0;
  std::vector<float> atoms;  // count × dim

  size_t size() const { return atoms.size() / dim; }
  // rows: unit rows of the pool (count × dim), of which at most `most`, evenly spread, become atoms.
  static PoolPrior of(std::span<const float> rows, size_t dim, unsigned threads, size_t most = kAtoms);

  // Of the pool in the space of a fit.
  static PoolPrior of(const PublicData& pool, const PublicTransform& transform, unsigned threads);

  static constexpr size_t kAtoms = 4096, kNeighbours = 10, kRows = 20480;
};

// Rows of the pool after the transform, at most `most` of them, evenly spread; of unit length where asked.
std::vector<float> spread_rows(const PublicData& pool, const PublicTransform& transform, size_t most, unsigned threads,
                               bool unit = true);

// The model: s = a·(p + e) + noise, with p one of the atoms (all alike likely), a strength a on a geometric grid (class
// size times how closely its records agree), e ~ N(0, prior_variance/dim) in every coordinate, and noise ~ N(0,
// sigma²).
struct Posterior {
  // For every sum (classes × dim) the expectation of p + e given s. The less certain it is, the shorter.
  std::vector<double> means;
  std::vector<double> strengths;  // for every class the expectation of a
};
Posterior posterior(std::span<const double> sums, double sigma, const PoolPrior& prior, double prior_variance,
                    unsigned threads);

}  // namespace dppl
