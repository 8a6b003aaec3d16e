#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dppl/transform.h"

// What is known about class means before and after their noisy sums: near public rows, near what is publicly known
// about the class, or anywhere. Works on released sums and public rows only, so it is post-processing and costs no
// budget. docs/accuracy.md has the formulas.
namespace dppl {

// Where class means are expected.
struct PoolPrior {
  size_t dim = 0;
  // Unit vectors, each the mean direction of a public row and its nearest neighbours (count × dim).
  std::vector<float> atoms = {};
  std::vector<double> variances = {};  // per direction, the mean square of public rows of unit length
  double row_length = 0;               // the root mean square of the lengths of transformed public rows
  // How a public row lies about its neighbours, one for every atom: its cosine with the mean of its nearest neighbours,
  // itself left out, and what is left of it without that direction (count × dim).
  std::vector<double> cosines = {};
  std::vector<float> rests = {};

  size_t size() const { return atoms.size() / dim; }
  // rows: transformed rows of the pool (count × dim), of any length.
  static PoolPrior of(std::vector<float> rows, size_t dim, unsigned threads);
  // Of the pool in the space of a fit.
  static PoolPrior of(const PublicData& pool, const PublicTransform& transform, unsigned threads);
};

// Rows of the pool after the transform, at most `most` of them, evenly spread.
std::vector<float> spread_rows(const PublicData& pool, const PublicTransform& transform, size_t most, unsigned threads);

// The model of one class: s = a·(p + e) + noise, with a strength a on a geometric grid (class size times how closely
// its records agree), noise ~ N(0, sigma²) in every direction, and for p + e one of three kinds, v being the variances
// of the prior:
//   near the pool       p one of the atoms, all equally likely; e ~ N(0, prior_variance·v)
//   anywhere            p = 0; e ~ N(0, (1 + prior_variance)·v)
//   as publicly known   p = √(1 + prior_variance) times what is known of this class; e ~ N(0, (1 − c²)·(1 +
//                       prior_variance)·v), c being the length of what is known, a cosine
// so that p + e is of the same length in all of them, and the strengths mean the same. A class mean has a cosine of
// 1/√(1 + prior_variance) with its atom: ½ where the variance is 3.
// How likely the kinds are is one half against one half at first (known classes: a quarter, a quarter and a half) and
// then follows, by expectation maximisation, from how well they explain the sums of all classes about which something
// is known: knowledge that the data contradict loses its weight.
struct Posterior {
  std::vector<double> means = {};      // for every sum (classes × dim) the expectation of p + e given s
  std::vector<double> strengths = {};  // for every class the expectation of a
  // For every class how much of the variance of p + e its sum leaves open, on average over the directions: 1 where it
  // says nothing, 0 where it is clear.
  std::vector<double> open = {};
  double knowledge_weight = 0;  // of the kind "as publicly known", where something is known
};
// known: per class what is publicly known of its mean (KnownDirections::expected_means), zeros where that is nothing;
// empty: nothing at all.
Posterior posterior(std::span<const double> sums, double sigma, const PoolPrior& prior, double prior_variance,
                    unsigned threads, std::span<const double> known = {});

}  // namespace dppl
