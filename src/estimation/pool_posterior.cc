#include "estimation/pool_posterior.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "kernels/gemm.h"
#include "kernels/row_math.h"
#include "rows/class_rows.h"

namespace dppl {
namespace {

// Strengths from a record or two to a class of many thousands, each 1.5 times the one before.
constexpr double kWeakest = 0.9, kStep = 1.5;
constexpr int kStrengths = 22;

using Atoms = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The posterior of one class.
class ClassPosterior {
 public:
  ClassPosterior(double dim, double sigma, double prior_variance)
      : dim_(dim), sigma_(sigma), prior_variance_(prior_variance) {}

  struct OfSum {
    double weight, strength;
  };
  // dots: of the sum with every atom; becomes the atoms' weights in the mean. Returns the weight of the sum in it.
  OfSum operator()(std::span<const double> sum, Eigen::Map<Eigen::ArrayXf> dots) const {
    double squares = 0;
    for (const double value : sum) squares += value * value;
    double largest = -INFINITY;
    const float best_dot = dots.maxCoeff();
    for (int g = 0; g < kStrengths; ++g) largest = std::max(largest, log_weight(strength(g), squares, best_dot));

    Eigen::ArrayXf of_atoms = Eigen::ArrayXf::Zero(dots.size()), weights(dots.size());
    double total = 0, of_sum = 0, strengths = 0;
    for (int g = 0; g < kStrengths; ++g) {
      const double a = strength(g);
      // With p and a known, the expectation of p + e lies between p and s/a.
      const double follow = a * a * prior_variance_ / dim_ / variance(a);
      const double best = log_weight(a, squares, best_dot) - largest;
      // Below this nothing adds to the sum.
      if (best < -50) continue;
      // exp(log_weight() − largest) of every atom: it differs from the best one's by the dots alone.
      weights = ((dots - best_dot) * static_cast<float>(a / variance(a)) + static_cast<float>(best)).exp();
      const auto weight = static_cast<double>(weights.sum());
      of_atoms += weights * static_cast<float>(1 - follow);
      total += weight;
      of_sum += weight * follow / a;
      strengths += weight * a;
    }
    dots = of_atoms / static_cast<float>(total);
    return {of_sum / total, strengths / total};
  }

 private:
  static double strength(int g) { return kWeakest * std::pow(kStep, g); }
  double variance(double a) const { return sigma_ * sigma_ + a * a * prior_variance_ / dim_; }
  double log_weight(double a, double squares, float dot) const {
    return -(squares - 2 * a * static_cast<double>(dot) + a * a) / (2 * variance(a)) - dim_ / 2 * std::log(variance(a));
  }

  double dim_, sigma_, prior_variance_;
};

}  // namespace

std::vector<float> spread_rows(const PublicData& pool, const PublicTransform& transform, size_t most, unsigned threads,
                               bool unit) {
  const size_t count = std::min(pool.size(), most), dim = transform.output_dim();
  std::vector<float> rows(count * dim);
  // A pool file may have done it already.
  const PublicTransform nothing = PublicTransform::restore({}, dim, {}, {});
  const PublicTransform& left = stored_transform(pool) ? nothing : transform;
  parallel_blocks(count, 256, threads, [&](size_t begin, size_t end, unsigned) {
    TransformedBlock block(left);
    const auto row_of = [&](size_t i) { return (begin + i) * pool.size() / count; };
    const auto values = block.load(pool.embeddings(), end - begin, row_of);
    std::copy(values.begin(), values.end(), rows.begin() + static_cast<std::ptrdiff_t>(begin * dim));
    for (size_t i = begin; unit && i < end; ++i) normalise_row(rows.data() + i * dim, dim, rows.data() + i * dim);
  });
  return rows;
}

PoolPrior PoolPrior::of(std::span<const float> rows, size_t dim, unsigned threads, size_t most) {
  const size_t count = rows.size() / dim, atoms = std::min(count, most);
  const size_t neighbours = std::min(count, kNeighbours);
  PoolPrior prior{dim, std::vector<float>(atoms * dim)};
  parallel_blocks(atoms, 64, threads, [&](size_t begin, size_t end, unsigned) {
    std::vector<float> some((end - begin) * dim), dots((end - begin) * count);
    for (size_t i = begin; i < end; ++i) {
      const auto row = rows.subspan(i * count / atoms * dim, dim);
      std::copy(row.begin(), row.end(), some.begin() + static_cast<std::ptrdiff_t>((i - begin) * dim));
    }
    multiply_rows(some.data(), end - begin, dim, rows.data(), count, dots.data());
    std::vector<size_t> order(count);
    for (size_t i = begin; i < end; ++i) {
      const float* of_row = dots.data() + (i - begin) * count;
      std::iota(order.begin(), order.end(), size_t{0});
      std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(neighbours - 1), order.end(),
                       [&](size_t a, size_t b) { return of_row[a] > of_row[b]; });
      float* atom = prior.atoms.data() + i * dim;
      for (size_t j = 0; j < neighbours; ++j) {
        for (size_t k = 0; k < dim; ++k) atom[k] += rows[order[j] * dim + k];
      }
      normalise_row(atom, dim, atom);
    }
  });
  return prior;
}

PoolPrior PoolPrior::of(const PublicData& pool, const PublicTransform& transform, unsigned threads) {
  return of(spread_rows(pool, transform, kRows, threads), transform.output_dim(), threads);
}

Posterior posterior(std::span<const double> sums, double sigma, const PoolPrior& prior, double prior_variance,
                    unsigned threads) {
  const size_t dim = prior.dim, classes = sums.size() / dim, atoms = prior.size();
  Posterior result{std::vector<double>(sums.size()), std::vector<double>(classes)};
  const std::vector<float> narrow(sums.begin(), sums.end());
  const ClassPosterior of_class(static_cast<double>(dim), sigma, prior_variance);
  const auto rows = static_cast<Eigen::Index>(atoms), columns = static_cast<Eigen::Index>(dim);
  const Eigen::Map<const Atoms> atom_rows(prior.atoms.data(), rows, columns);
  parallel_blocks(classes, 16, threads, [&](size_t begin, size_t end, unsigned) {
    Atoms weights(static_cast<Eigen::Index>(end - begin), rows);
    multiply_rows(narrow.data() + begin * dim, end - begin, dim, prior.atoms.data(), atoms, weights.data());
    std::vector<double> of_sums;
    for (size_t c = begin; c < end; ++c) {
      float* row = weights.data() + (c - begin) * atoms;
      const auto [weight, strength] = of_class(sums.subspan(c * dim, dim), {row, rows});
      of_sums.push_back(weight);
      result.strengths[c] = strength;
    }
    const Atoms mixed = weights * atom_rows;
    for (size_t c = begin; c < end; ++c) {
      for (size_t k = 0; k < dim; ++k) {
        result.means[c * dim + k] =
            of_sums[c - begin] * sums[c * dim + k] +
            static_cast<double>(mixed(static_cast<Eigen::Index>(c - begin), static_cast<Eigen::Index>(k)));
      }
    }
  });
  return result;
}

}  // namespace dppl
