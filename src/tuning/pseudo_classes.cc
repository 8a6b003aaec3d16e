#include "tuning/pseudo_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "dppl/error.h"
#include "estimation/pool_posterior.h"
#include "kernels/gemm.h"
#include "kernels/row_math.h"
#include "kernels/spectrum.h"
#include "random/simulation.h"
#include "rows/class_rows.h"

namespace dppl {
namespace {

constexpr size_t kRows = 40960;  // of the pool, evenly spread
// Of a class's rows every third stands for a record, and every sixth for a test record. The others stay in the pool:
// classes that nobody else's rows lie among would be far easier to tell apart than real ones.
constexpr size_t kRecordEvery = 3, kTestEvery = 6, kFirstTest = 1;
constexpr size_t kNearest = 768;  // at most
constexpr size_t kSecond = 10;    // the second centre is among the nearest tenth
constexpr size_t kFewestRows = 200;
constexpr size_t kTestRows = 40;  // of a class, at most
// Private records are not drawn from the pool: in each of the pool's directions they are as wide as the pool times e to
// the power of a normal number of this standard deviation, or nothing that learns how they lie could pay. So much do
// the widths of CIFAR-100's embeddings, labels aside, differ from Tiny-ImageNet's where these are whitened.
constexpr double kForeignness = 0.3;

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void normalise_rows(std::vector<float>& rows, size_t dim) {
  for (size_t i = 0; i < rows.size(); i += dim) normalise_row(rows.data() + i, dim, rows.data() + i);
}

std::vector<float> unit_rows(std::vector<float> rows, size_t dim) {
  normalise_rows(rows, dim);
  return rows;
}

// Rows by their cosine with one of them, nearest first; the `most` nearest.
std::vector<size_t> nearest_rows(const std::vector<float>& rows, size_t dim, size_t from, size_t most) {
  const size_t count = rows.size() / dim;
  std::vector<float> dots(count);
  multiply_rows(rows.data() + from * dim, 1, dim, rows.data(), count, dots.data());
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                    [&](size_t a, size_t b) { return dots[a] > dots[b] || (dots[a] == dots[b] && a < b); });
  order.resize(most);
  return order;
}

// The rows around one of them and around one of its neighbours, by turns. A single neighbourhood has simpler borders
// than real classes: what is learned about borders then looks worthless, and most of all where there are many
// directions.
std::vector<size_t> rows_of_class(const std::vector<float>& rows, size_t dim, size_t centre, size_t count) {
  std::vector<size_t> first = nearest_rows(rows, dim, centre, count);
  std::vector<size_t> second = nearest_rows(rows, dim, first[count / kSecond], count);
  first.resize(count / 2);
  std::erase_if(second, [&](size_t row) { return std::find(first.begin(), first.end(), row) != first.end(); });
  second.resize(std::min(second.size(), count / 2));
  std::vector<size_t> result;
  // Turns are so long that both have records and tests.
  for (size_t turn = 0; turn < first.size(); turn += kTestEvery) {
    for (const std::vector<size_t>* side : {&first, &second}) {
      for (size_t i = turn; i < std::min(turn + kTestEvery, side->size()); ++i) result.push_back((*side)[i]);
    }
  }
  return result;
}

}  // namespace

std::vector<uint64_t> expected_sizes(uint64_t records, size_t classes, double ratio) {
  std::vector<double> shape(classes, 1);
  for (size_t r = 0; r < classes && classes > 1; ++r) {
    shape[r] = std::pow(ratio, -static_cast<double>(r) / static_cast<double>(classes - 1));
  }
  const double factor = static_cast<double>(records) / std::accumulate(shape.begin(), shape.end(), 0.0);
  std::vector<uint64_t> sizes(classes);
  for (size_t r = 0; r < classes; ++r)
    sizes[r] = std::max<uint64_t>(1, static_cast<uint64_t>(std::llround(shape[r] * factor)));
  return sizes;
}

PseudoClasses::PseudoClasses(const PublicData& pool, const PublicTransform& common, size_t classes, unsigned threads)
    : dim_(common.output_dim()), directions_(common.output_dim()) {
  const size_t count = std::min(pool.size(), kRows);
  const size_t wanted = std::clamp<size_t>(classes, 2, std::clamp<size_t>(count / 48, 2, 100));
  const size_t nearest = std::clamp<size_t>(3 * count / (2 * wanted), 48, kNearest);
  if (count < kFewestRows) {
    throw InvalidInput(
        fmt::format("tuning: a pool of {} rows is too small for it; at least {} are needed", pool.size(), kFewestRows));
  }
  values_ = spread_rows(pool, common, kRows, threads, /*unit=*/false);
  const std::vector<float> unit = unit_rows(values_, dim_);
  std::vector<std::vector<size_t>> near(wanted);
  SeededRandom random(1);
  std::vector<size_t> centres(wanted);
  for (size_t& centre : centres) centre = random.next64() % count;
  parallel_blocks(wanted, 1, threads,
                  [&](size_t c, size_t, unsigned) { near[c] = rows_of_class(unit, dim_, centres[c], nearest); });
  std::vector<bool> taken(count);
  for (size_t c = 0; c < wanted; ++c) {
    std::vector<size_t> train, tests;
    for (size_t i = 0; i < near[c].size(); ++i) {
      const bool is_record = i % kRecordEvery == 0, is_test = i % kTestEvery == kFirstTest && tests.size() < kTestRows;
      const size_t row = near[c][i];
      if (taken[row] || !(is_record || is_test)) continue;
      (is_record ? train : tests).push_back(row);
    }
    // Another class may have taken nearly all of them; in a small pool that happens.
    if (train.empty() || tests.empty()) continue;
    for (const std::vector<size_t>* rows : {&train, &tests}) {
      for (const size_t row : *rows) taken[row] = true;
    }
    test_labels_.insert(test_labels_.end(), tests.size(), train_.size());
    test_rows_.insert(test_rows_.end(), tests.begin(), tests.end());
    std::vector<size_t>& records = train_.emplace_back(train.size());
    std::iota(records.begin(), records.end(), train_rows_.size());
    train_rows_.insert(train_rows_.end(), train.begin(), train.end());
  }
  if (train_.size() < 2) throw InvalidInput("tuning: the pool's rows are too much alike for it");
  for (size_t i = 0; i < count; ++i) {
    if (!taken[i]) pool_rows_.push_back(i);
  }
  directions_ = std::min(dim_, pool_rows_.size() / 2);
}

std::vector<float> PseudoClasses::gather(std::span<const size_t> rows) const {
  std::vector<float> result(rows.size() * dim_);
  for (size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(rows[i] * dim_), dim_,
                result.begin() + static_cast<std::ptrdiff_t>(i * dim_));
  }
  return result;
}

PseudoClasses::Rows PseudoClasses::rows(size_t directions, double eigen_power, unsigned threads) {
  const std::vector<float> pool = gather(pool_rows_), train = gather(train_rows_), test = gather(test_rows_);
  SeededRandom random(2);
  std::vector<float> widths(dim_);  // of the directions in order, so that all spaces see the same records
  for (float& width : widths) width = static_cast<float>(std::exp(kForeignness * normal(random)));
  const auto foreign = [&](std::vector<float> values, size_t size) {
    for (size_t i = 0; i < values.size(); ++i) values[i] *= widths[i % size];
    return unit_rows(std::move(values), size);
  };
  if (directions == 0) return {dim_, unit_rows(pool, dim_), foreign(train, dim_), foreign(test, dim_)};

  using FloatRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto dim = static_cast<Eigen::Index>(dim_);
  const Eigen::Map<const FloatRows> all(pool.data(), static_cast<Eigen::Index>(pool_rows_.size()), dim);
  const Eigen::RowVectorXf mean = all.colwise().mean();
  if (spectrum_.directions.size() == 0) {
    Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(dim, dim);
    const RowMatrix centred = (all.rowwise() - mean).cast<double>();
    covariance.selfadjointView<Eigen::Lower>().rankUpdate(centred.transpose(), 1.0 / static_cast<double>(all.rows()));
    spectrum_ = spectrum_of(covariance);
  }
  const auto size = static_cast<Eigen::Index>(directions);
  const Eigen::VectorXd scale = spectrum_.values.head(size).array().max(spectrum_.values(0) * 1e-10).pow(-eigen_power);
  // outer × inner, as multiply_rows wants it
  const FloatRows basis = (spectrum_.directions.leftCols(size) * scale.asDiagonal()).transpose().cast<float>();
  const auto project = [&](const std::vector<float>& rows) {
    const size_t count = rows.size() / dim_;
    std::vector<float> out(count * directions);
    parallel_blocks(count, 512, threads, [&](size_t begin, size_t end, unsigned) {
      const auto first = static_cast<std::ptrdiff_t>(begin * dim_);
      FloatRows centred = Eigen::Map<const FloatRows>(rows.data() + first, static_cast<Eigen::Index>(end - begin), dim);
      centred.rowwise() -= mean;
      multiply_rows(centred.data(), end - begin, dim_, basis.data(), directions, out.data() + begin * directions);
    });
    return out;
  };
  return {directions, unit_rows(project(pool), directions), foreign(project(train), directions),
          foreign(project(test), directions)};
}

}  // namespace dppl
