#include "kernels/row_math.h"
#include "kernels/spectrum.h"
#include "lab/constants.h"
#include "lab/sweep/run_method.h"
#include "rows/class_rows.h"

namespace dppl {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Rows of unit length in the model's space, one after another, for `use(i, row)`.
template <typename RowOf, typename Use>
void each_row(const Embeddings& rows, const PublicTransform& transform, size_t count, RowOf row_of, Use use) {
  TransformedBlock block(transform);
  Eigen::VectorXf unit(static_cast<Eigen::Index>(transform.output_dim()));
  for (size_t i = 0; i < count; ++i) {
    const auto values = block.load(rows, 1, [&](size_t) { return row_of(i); });
    normalise_row(values.data(), values.size(), unit.data());
    use(i, unit.cast<double>());
  }
}

Matrix true_means(const MethodRun& run, const PublicTransform& transform) {
  const DataSet& data = run.space.data();
  Matrix means =
      Matrix::Zero(static_cast<Eigen::Index>(data.classes.size()), static_cast<Eigen::Index>(transform.output_dim()));
  Eigen::VectorXd counts = Eigen::VectorXd::Zero(means.rows());
  each_row(
      run.space.train(), transform, run.rows.size(), [&](size_t i) { return run.rows[i]; },
      [&](size_t i, const Eigen::VectorXd& row) {
        const auto label = static_cast<Eigen::Index>(data.train_labels[run.rows[i]]);
        means.row(label) += row.transpose();
        ++counts(label);
      });
  for (Eigen::Index c = 0; c < means.rows(); ++c) means.row(c) /= std::max(counts(c), 1.0);
  return means;
}

// The two leading principal directions of the means, as columns: of their small Gram matrix, because there are fewer
// means than dimensions.
Matrix leading_plane(const Matrix& means) {
  const Matrix centered = means.rowwise() - means.colwise().mean();
  const Spectrum spectrum = spectrum_of(centered * centered.transpose());
  Matrix plane = Matrix::Zero(means.cols(), 2);
  for (Eigen::Index k = 0; k < std::min<Eigen::Index>(2, means.rows()); ++k) {
    const Eigen::VectorXd direction = centered.transpose() * spectrum.directions.col(k);
    const double length = direction.norm();
    if (length > 1e-9) plane.col(k) = direction / length;
  }
  return plane;
}

}  // namespace

SweepMap draw_map(const MethodRun& run, const MethodResult& result) {
  const Model& model = *result.model;
  const PublicTransform& transform = model.transform;
  const Matrix means = true_means(run, transform), plane = leading_plane(means);
  SweepMap map;
  const auto add = [&](MapPoint::Kind kind, size_t label, const Eigen::VectorXd& row, bool right) {
    const Eigen::VectorXd at = plane.transpose() * row;
    map.points.push_back({kind, static_cast<uint32_t>(label), at(0), at(1), right});
  };
  const DataSet& data = run.space.data();
  const size_t points = std::min(data.test_labels.size(), kMostPoints);
  const auto test_row = [&](size_t i) { return i * data.test_labels.size() / points; };
  each_row(run.space.test(), transform, points, test_row, [&](size_t i, const Eigen::VectorXd& row) {
    const auto label = data.test_labels[test_row(i)];
    add(MapPoint::Kind::test, static_cast<size_t>(label), row, result.predicted[test_row(i)] == label);
  });
  const size_t dim = model.output_dim(), per_class = model.prototypes_per_class;
  for (size_t c = 0; c < data.classes.size(); ++c) {
    const Eigen::VectorXd mean = means.row(static_cast<Eigen::Index>(c)).transpose();
    add(MapPoint::Kind::true_mean, c, mean, false);
    Eigen::VectorXd prototype = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(dim));
    for (size_t p = 0; p < per_class; ++p) {
      const Eigen::VectorXd one = Eigen::Map<const Eigen::VectorXf>(model.prototypes.data() + (c * per_class + p) * dim,
                                                                    static_cast<Eigen::Index>(dim))
                                      .cast<double>();
      prototype += one / static_cast<double>(per_class);
    }
    // Only the direction of a prototype counts: it gets its class's true length.
    if (prototype.norm() > 0) prototype *= mean.norm() / prototype.norm();
    add(MapPoint::Kind::private_mean, c, prototype, false);
  }
  return map;
}

}  // namespace dppl
