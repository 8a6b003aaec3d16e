#include "estimation/pool_posterior.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "estimation/constants.h"
#include "kernels/gemm.h"
#include "kernels/row_math.h"
#include "rows/class_rows.h"
#include "rows/pool_shards.h"
#include "rows/public_access.h"

namespace dppl {
namespace {

double strength(size_t g) {
  static const auto strengths = [] {
    std::array<double, kStrengths> values{kWeakest};
    for (size_t i = 1; i < kStrengths; ++i) values[i] = values[i - 1] * kStrengthStep;
    return values;
  }();
  return strengths[g];
}

enum Kind : size_t { kNearPool, kAnywhere, kKnown, kKinds };

using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// One kind's view of a class: how well it explains the sum, and what it expects given the sum.
struct View {
  double log_evidence = -INFINITY;
  std::vector<double> mean;
  double strength = 0, open = 0;  // as in Posterior
};

// Adds up what every strength says, weighted by its likelihood, whose logarithm may have any size.
class Mixture {
 public:
  explicit Mixture(size_t dim) { view_.mean.resize(dim); }

  // Returns the factor by which this part counts; parts before it are scaled down where it is larger than all of them.
  double add(double log_likelihood, double a, double open) {
    if (log_likelihood > largest_) {
      const double down = std::exp(largest_ - log_likelihood);
      for (double& value : view_.mean) value *= down;
      view_.strength *= down;
      view_.open *= down;
      total_ *= down;
      largest_ = log_likelihood;
    }
    const double weight = std::exp(log_likelihood - largest_);
    total_ += weight;
    view_.strength += weight * a;
    view_.open += weight * open;
    return weight;
  }
  std::vector<double>& mean() { return view_.mean; }

  View finish() && {
    for (double& value : view_.mean) value /= total_;
    view_.strength /= total_;
    view_.open /= total_;
    view_.log_evidence = largest_ + std::log(total_);
    return std::move(view_);
  }

 private:
  View view_;
  double largest_ = -1e300, total_ = 0;
};

// With p known: a Gaussian. `centre` may be empty for 0.
View gaussian_view(std::span<const double> sum, double sigma, std::span<const double> centre,
                   std::span<const double> variances, double deviation, double prior_variance) {
  const size_t dim = sum.size();
  Mixture mixture(dim);
  std::vector<double> expected(dim);
  for (size_t g = 0; g < kStrengths; ++g) {
    const double a = strength(g);
    double log_likelihood = 0, open = 0;
    for (size_t k = 0; k < dim; ++k) {
      const double spread = deviation * variances[k], variance = sigma * sigma + a * a * spread;
      const double p = centre.empty() ? 0 : centre[k], off = sum[k] - a * p, follow = a * a * spread / variance;
      log_likelihood -= (off * off / variance + std::log(variance)) / 2;
      expected[k] = follow * sum[k] / a + (1 - follow) * p;
      open += (1 - follow) * deviation / (1 + prior_variance);
    }
    const double weight = mixture.add(log_likelihood, a, open / static_cast<double>(dim));
    for (size_t k = 0; k < dim; ++k) mixture.mean()[k] += weight * expected[k];
  }
  return std::move(mixture).finish();
}

// The kind "near the pool", for a block of classes at once: products with all atoms are where the time goes.
class NearPool {
 public:
  NearPool(const PoolPrior& prior, double sigma, double prior_variance)
      : prior_(prior), sigma_(sigma), deviation_(prior_variance) {
    squares_ = atoms().array().square();
    const Eigen::Index dim = squares_.cols();
    for (size_t g = 0; g < kStrengths; ++g) {
      Eigen::VectorXf precision(dim);
      for (Eigen::Index k = 0; k < dim; ++k) {
        precision(k) = static_cast<float>(1 / variance_of(g, static_cast<size_t>(k)));
      }
      lengths_.push_back(squares_ * precision);
    }
  }

  std::vector<View> operator()(std::span<const double> sums) const {
    const size_t dim = prior_.dim, classes = sums.size() / dim;
    std::vector<Mixture> mixtures(classes, Mixture(dim));
    Rows scaled(static_cast<Eigen::Index>(classes), static_cast<Eigen::Index>(dim));
    Rows dots(scaled.rows(), static_cast<Eigen::Index>(prior_.size()));
    for (size_t g = 0; g < kStrengths; ++g) {
      const double a = strength(g);
      for (size_t i = 0; i < sums.size(); ++i) {
        scaled.data()[i] = static_cast<float>(a * sums[i] / variance_of(g, i % dim));
      }
      multiply_rows(scaled.data(), classes, dim, prior_.atoms.data(), prior_.size(), dots.data());
      for (size_t c = 0; c < classes; ++c) {
        Eigen::Map<Eigen::ArrayXf> weights(dots.data() + c * prior_.size(), dots.cols());
        add_strength(mixtures[c], g, sums.subspan(c * dim, dim), weights);
      }
    }
    std::vector<View> views;
    for (Mixture& mixture : mixtures) views.push_back(std::move(mixture).finish());
    return views;
  }

 private:
  Eigen::Map<const Rows> atoms() const {
    return {prior_.atoms.data(), static_cast<Eigen::Index>(prior_.size()), static_cast<Eigen::Index>(prior_.dim)};
  }
  double variance_of(size_t g, size_t k) const {
    return sigma_ * sigma_ + strength(g) * strength(g) * deviation_ * prior_.variances[k];
  }

  // weights: the dots of every atom with a·s/variance; becomes the atoms' probabilities given this strength.
  void add_strength(Mixture& mixture, size_t g, std::span<const double> sum, Eigen::Map<Eigen::ArrayXf> weights) const {
    const double a = strength(g);
    weights -= static_cast<float>(a * a / 2) * lengths_[g].array();
    const float best = weights.maxCoeff();
    weights = (weights - best).exp();
    const float total = weights.sum();
    weights /= total;
    double log_likelihood =
        static_cast<double>(best) + std::log(static_cast<double>(total) / static_cast<double>(prior_.size()));
    const Eigen::VectorXf middle = atoms().transpose() * weights.matrix();
    const Eigen::VectorXf undecided = (squares_.transpose() * weights.matrix() - middle.cwiseAbs2()).cwiseMax(0);
    std::vector<double> expected(sum.size());
    double open = 0;
    for (size_t k = 0; k < sum.size(); ++k) {
      const double variance = variance_of(g, k), spread = deviation_ * prior_.variances[k];
      const double follow = a * a * spread / variance, p = static_cast<double>(middle(static_cast<Eigen::Index>(k)));
      log_likelihood -= (sum[k] * sum[k] / variance + std::log(variance)) / 2;
      expected[k] = follow * sum[k] / a + (1 - follow) * p;
      const double of_atoms = static_cast<double>(undecided(static_cast<Eigen::Index>(k))) / prior_.variances[k];
      open += (1 - follow) * (deviation_ + (1 - follow) * of_atoms) / (1 + deviation_);
    }
    const double weight = mixture.add(log_likelihood, a, open / static_cast<double>(sum.size()));
    for (size_t k = 0; k < sum.size(); ++k) mixture.mean()[k] += weight * expected[k];
  }

  const PoolPrior& prior_;
  double sigma_, deviation_;
  Rows squares_;                          // of the atoms
  std::vector<Eigen::VectorXf> lengths_;  // by strength, of every atom
};

using Weights = std::array<double, kKinds>;
using Views = std::array<View, kKinds>;

constexpr Weights kFirst{0.25, 0.25, 0.5};

// How likely each kind is, given the sum.
Weights responsibilities(const Views& views, const Weights& weights) {
  Weights result{};
  double largest = -INFINITY, total = 0;
  for (const View& view : views) largest = std::max(largest, view.log_evidence);
  for (size_t j = 0; j < kKinds; ++j) total += result[j] = weights[j] * std::exp(views[j].log_evidence - largest);
  for (double& value : result) value /= total;
  return result;
}

// Expectation maximisation over the classes about which something is known.
Weights learn_weights(const std::vector<Views>& classes) {
  Weights weights = kFirst;
  for (int round = 0; round < kWeightRounds; ++round) {
    Weights totals{};
    double count = 0;
    for (const Views& views : classes) {
      if (views[kKnown].mean.empty()) continue;
      const Weights of_class = responsibilities(views, weights);
      for (size_t j = 0; j < kKinds; ++j) totals[j] += of_class[j];
      ++count;
    }
    if (count == 0) return weights;
    constexpr double kBefore = kPriorClasses * static_cast<double>(kKinds);
    for (size_t j = 0; j < kKinds; ++j) weights[j] = (totals[j] + kBefore * kFirst[j]) / (count + kBefore);
  }
  return weights;
}

// What all kinds expect together.
View mixed(const Views& views, const Weights& weights) {
  const Weights shares = responsibilities(views, weights);
  View result;
  result.mean.resize(views[kAnywhere].mean.size());
  for (size_t j = 0; j < kKinds; ++j) {
    if (views[j].mean.empty()) continue;
    for (size_t k = 0; k < result.mean.size(); ++k) result.mean[k] += shares[j] * views[j].mean[k];
    result.strength += shares[j] * views[j].strength;
    result.open += shares[j] * views[j].open;
  }
  return result;
}

// A direction in which no public row varies is left to the data, nearly.
std::vector<double> usable_variances(std::vector<double> variances) {
  const double mean = std::accumulate(variances.begin(), variances.end(), 0.0) / static_cast<double>(variances.size());
  for (double& variance : variances) variance = std::max(variance, mean > 0 ? 1e-6 * mean : 1);
  return variances;
}

// The cosine of a row with the sum of its neighbours, in which the row itself is; and what is left of the row.
double split_row(const float* row, const float* sum, size_t dim, float* rest) {
  std::vector<float> others(dim);
  for (size_t k = 0; k < dim; ++k) others[k] = sum[k] - row[k];
  normalise_row(others.data(), dim, others.data());
  const double cosine = std::inner_product(row, row + dim, others.begin(), 0.0);
  for (size_t k = 0; k < dim; ++k) rest[k] = static_cast<float>(double{row[k]} - cosine * double{others[k]});
  return cosine;
}

}  // namespace

std::vector<float> spread_rows(const PublicData& pool, const PublicTransform& transform, size_t most,
                               unsigned threads) {
  const size_t count = std::min(pool.size(), most), dim = transform.output_dim();
  std::vector<float> rows(count * dim);
  const bool done = stored_transform(pool).has_value();  // a pool file may have done it already
  parallel_blocks(count, 256, threads, [&](size_t begin, size_t end, unsigned) {
    const auto row_of = [&](size_t i) { return (begin + i) * pool.size() / count; };
    const auto out = std::span(rows).subspan(begin * dim, (end - begin) * dim);
    for (size_t i = 0; i < end - begin; ++i) pool.embeddings().expect(row_of(i), row_of(i) + 1);
    if (done) {
      for (size_t i = 0; i < end - begin; ++i) {
        const auto row = out.subspan(i * dim, dim);
        pool.embeddings().row(row_of(i), row);
        scale_row(row.data(), dim, static_cast<double>(PublicAccess(pool).shards()->scale(row_of(i))), row.data());
      }
    } else {
      TransformedBlock block(transform);
      std::ranges::copy(block.load(pool.embeddings(), end - begin, row_of), out.begin());
    }
    pool.embeddings().give_back(row_of(0), row_of(end - begin - 1) + 1);
  });
  return rows;
}

PoolPrior PoolPrior::of(std::vector<float> rows, size_t dim, unsigned threads) {
  const size_t count = rows.size() / dim, atoms = std::min(count, kAtoms), neighbours = std::min(count, kNeighbours);
  PoolPrior prior{.dim = dim, .atoms = std::vector<float>(atoms * dim), .variances = std::vector<double>(dim)};
  prior.cosines.resize(atoms);
  prior.rests.resize(atoms * dim);
  for (size_t i = 0; i < count; ++i) {
    float* row = rows.data() + i * dim;
    prior.row_length += sum_of_squares(row, dim) / static_cast<double>(count);
    normalise_row(row, dim, row);
    for (size_t k = 0; k < dim; ++k) {
      prior.variances[k] += static_cast<double>(row[k]) * static_cast<double>(row[k]) / static_cast<double>(count);
    }
  }
  prior.row_length = std::sqrt(prior.row_length);
  prior.variances = usable_variances(std::move(prior.variances));
  parallel_blocks(atoms, 64, threads, [&](size_t begin, size_t end, unsigned) {
    std::vector<float> some((end - begin) * dim), dots((end - begin) * count);
    for (size_t i = begin; i < end; ++i) {
      const auto row = std::span(rows).subspan(i * count / atoms * dim, dim);
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
      prior.cosines[i] = split_row(some.data() + (i - begin) * dim, atom, dim, prior.rests.data() + i * dim);
      normalise_row(atom, dim, atom);
    }
  });
  return prior;
}

PoolPrior PoolPrior::of(const PublicData& pool, const PublicTransform& transform, unsigned threads) {
  return of(spread_rows(pool, transform, kAtomRows, threads), transform.output_dim(), threads);
}

Posterior posterior(std::span<const double> sums, double sigma, const PoolPrior& prior, double prior_variance,
                    unsigned threads, std::span<const double> known) {
  const size_t dim = prior.dim, classes = sums.size() / dim;
  const NearPool near_pool(prior, sigma, prior_variance);
  std::vector<Views> views(classes);
  parallel_blocks(classes, 16, threads, [&](size_t begin, size_t end, unsigned) {
    std::vector<View> near = near_pool(sums.subspan(begin * dim, (end - begin) * dim));
    for (size_t c = begin; c < end; ++c) {
      const auto sum = sums.subspan(c * dim, dim);
      views[c][kNearPool] = std::move(near[c - begin]);
      views[c][kAnywhere] = gaussian_view(sum, sigma, {}, prior.variances, 1 + prior_variance, prior_variance);
      const auto mean = known.empty() ? known : known.subspan(c * dim, dim);
      const double cosine2 = std::inner_product(mean.begin(), mean.end(), mean.begin(), 0.0);
      if (cosine2 == 0) continue;
      std::vector<double> expected(mean.begin(), mean.end());
      for (double& value : expected) value *= std::sqrt(1 + prior_variance);
      views[c][kKnown] =
          gaussian_view(sum, sigma, expected, prior.variances, (1 - cosine2) * (1 + prior_variance), prior_variance);
    }
  });
  const Weights weights = learn_weights(views);
  Posterior result{.knowledge_weight = weights[kKnown]};
  for (const Views& of_class : views) {
    const View all = mixed(of_class, weights);
    result.means.insert(result.means.end(), all.mean.begin(), all.mean.end());
    result.strengths.push_back(all.strength);
    result.open.push_back(all.open);
  }
  return result;
}

}  // namespace dppl
