#include "lab/baselines/projection.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "dppl/error.h"
#include "kernels/gemm.h"
#include "kernels/spectrum.h"
#include "lab/baselines/classifier.h"
#include "lab/baselines/descent.h"
#include "lab/baselines/rows.h"

namespace dppl {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowMap = Eigen::Map<const RowMatrix>;
using FloatRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Index index(size_t value) { return static_cast<Eigen::Index>(value); }

RowMap as_rows(std::span<const double> values, size_t columns) {
  return {values.data(), index(values.size() / columns), index(columns)};
}

// Orthonormal rows from public knowledge: the pool's leading principal directions, or random ones without a pool.
RowMatrix start(const BaselineInput& input, size_t dim, Random& random) {
  const size_t from = input.train.dim;
  if (!input.pool.empty()) {
    const Eigen::MatrixXd moment = second_moment(input.pool, from, {}, input.threads);
    return spectrum_of(moment).directions.leftCols(index(dim)).transpose();
  }
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(index(from), index(dim));
  add_noise({columns.data(), static_cast<size_t>(columns.size())}, 1, random);
  const Eigen::MatrixXd basis = Eigen::HouseholderQR<Eigen::MatrixXd>(columns).householderQ() *
                                Eigen::MatrixXd::Identity(index(from), index(dim));
  return basis.transpose();
}

}  // namespace

BaselineSettings projection_settings() {
  return descent_settings(10, 1, {{"dim", 64}, {"share", 0.2}, {"prototype_share", 0.5}, {"scale", 16}});
}

std::vector<float> Projection::apply(std::span<const float> rows, size_t input_dim, unsigned threads) const {
  return project(rows, input_dim, matrix, threads);
}

LinearClassifier nearest_projected(Projection projection, size_t input_dim, std::vector<double> prototypes) {
  LinearClassifier classifier = nearest_prototype(projection.dim, std::move(prototypes));
  classifier.dim = input_dim;
  classifier.projection = std::move(projection.matrix);
  return classifier;
}

// With residuals q = p − y and a = Σ_c q_c·m_c, a record's gradient is scale·P·(x·aᵀ + a·xᵀ), of rank two; so is its
// norm easy to have without the gradient itself. As a = Mᵀq, the sum over records is scale·P·(N + Nᵀ) with
// N = (Σ factor·q·xᵀ)ᵀ·M: the clipped sum of softmax regression with weights scale·M·PᵀP, and other factors.
ProjectionGradient projection_gradient(const LabelledRows& rows, std::span<const double> projection,
                                       std::span<const double> prototypes, double scale, double clip,
                                       unsigned threads) {
  const size_t dim = rows.dim, classes = rows.classes, inner = projection.size() / dim;
  const RowMap p = as_rows(projection, dim), m = as_rows(prototypes, dim);
  const RowMatrix weights = scale * (m * p.transpose()) * p;
  const std::vector<float> matrix = to_float(projection);
  const FloatRows points = m.transpose().cast<float>();  // dim × classes
  ProjectionGradient result;
  result.norms.resize(rows.count());
  result.losses.resize(rows.count());
  const auto set_factors = [&](size_t begin, size_t end, std::span<const float> residuals, std::span<float> factors) {
    const size_t count = end - begin;
    FloatRows u(index(count), index(inner)), a(index(count), index(dim)), v(index(count), index(inner));
    multiply_rows(rows.values.data() + begin * dim, count, dim, matrix.data(), inner, u.data());
    multiply_rows(residuals.data(), count, classes, points.data(), dim, a.data());
    multiply_rows(a.data(), count, dim, matrix.data(), inner, v.data());
    const Eigen::Map<const FloatRows> x(rows.values.data() + begin * dim, index(count), index(dim));
    for (size_t i = 0; i < count; ++i) {
      const Eigen::Index r = index(i);
      // |u·aᵀ + v·xᵀ|² with u = Px, v = Pa
      const double squares = static_cast<double>(u.row(r).squaredNorm() * a.row(r).squaredNorm() +
                                                 v.row(r).squaredNorm() * x.row(r).squaredNorm() +
                                                 2 * u.row(r).dot(v.row(r)) * a.row(r).dot(x.row(r)));
      const double norm = scale * std::sqrt(std::max(squares, 0.0));
      factors[i] = static_cast<float>(clipping(clip)(norm));
      result.norms[begin + i] = static_cast<float>(norm);
      result.losses[begin + i] = loss_of(residuals[i * classes + rows.labels[begin + i]]);
    }
  };
  const std::vector<double> sum =
      softmax_gradient(rows, {weights.data(), static_cast<size_t>(weights.size())}, set_factors, threads);
  const RowMatrix n = as_rows(sum, dim).transpose() * m;
  result.sum.resize(projection.size());
  Eigen::Map<RowMatrix>(result.sum.data(), p.rows(), p.cols()) = scale * p * (n + n.transpose());
  return result;
}

Projection train_projection(const BaselineInput& input, Account& account, SeededRandom& random,
                            std::vector<double>& losses) {
  const auto& settings = input.settings;
  const auto dim = static_cast<size_t>(settings.at("dim"));
  if (dim > input.train.dim) {
    throw InvalidInput(
        fmt::format("setting dim is {}, but must be at most the dimension of the rows, {}", dim, input.train.dim));
  }
  const double share = settings.at("share"), steps = settings.at("steps"), clip = settings.at("clip");
  const RecordCount count(input, account, random);
  const double left = share - count.share();
  if (left <= 0) {
    throw InvalidInput(fmt::format("setting count_share is {:g}, but must be below share, {:g}", count.share(), share));
  }
  // Fixed points that are released once: a record's gradient then depends on no other record.
  std::vector<double> prototypes = class_sums(input.train, input.threads);
  add_noise(prototypes, account.gaussian(left * settings.at("prototype_share"), 1), random);
  scale_to_unit(prototypes, input.train.dim);
  const RowMatrix first = start(input, dim, random);
  Descent descent({first.data(), first.data() + first.size()}, settings);
  for (double t = 0; t < steps; ++t) {
    ProjectionGradient gradient =
        projection_gradient(input.train, descent.weights(), prototypes, settings.at("scale"), clip, input.threads);
    add_noise(gradient.sum, account.gaussian(left * (1 - settings.at("prototype_share")) / steps, clip), random);
    divide(gradient.sum, count.value());
    descent.step(gradient.sum);
    losses.push_back(mean(gradient.losses));
    report_progress(input, t + 1);
  }
  return {to_float(descent.weights()), dim};
}

}  // namespace dppl
