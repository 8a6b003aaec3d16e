#include "lab/sweep/space.h"

#include <numeric>

#include "base/digest.h"
#include "base/parallel.h"
#include "dppl/experiments.h"
#include "dppl/invalid_record.h"
#include "kernels/row_math.h"
#include "rows/check_rows.h"
#include "rows/class_rows.h"

namespace dppl {
namespace {

Embeddings first_rows(std::shared_ptr<const void> owner, const Embeddings& rows, size_t count) {
  return Embeddings::view({.data = rows.row_bytes(0).data(), .rows = count, .dim = rows.dim(), .dtype = rows.dtype()},
                          std::move(owner), rows.path());
}

std::vector<float> unit_rows(const Embeddings& rows, const PublicTransform& transform, unsigned threads) {
  const size_t dim = transform.output_dim();
  std::vector<float> result(rows.rows() * dim);
  parallel_blocks(rows.rows(), 256, threads, [&](size_t begin, size_t end, unsigned) {
    TransformedBlock block(transform);
    const auto values = block.load(rows, end - begin, [&](size_t i) { return begin + i; });
    for (size_t i = begin; i < end; ++i) {
      normalise_row(values.data() + (i - begin) * dim, dim, result.data() + i * dim);
    }
  });
  return result;
}

std::string digest_of_rows(const Embeddings& rows, std::span<const int64_t> labels) {
  DigestStream digest;
  for (size_t i = 0; i < rows.rows(); ++i) digest.add(rows.row_bytes(i));
  digest.add(std::as_bytes(labels));
  return to_hex(digest.finish()) + std::to_string(rows.dim()) + std::string(to_string(rows.dtype()));
}

}  // namespace

std::shared_ptr<const DataSet> DataSet::open(const SweepPlan::Data& data, unsigned threads) {
  const ClassSet classes = ClassSet::parse(data.classes);
  // A sweep is for data that are open.
  auto result = with_public_records([&] {
    auto opened = std::make_shared<DataSet>(DataSet{classes, Embeddings::open(data.train), Embeddings::open(data.test),
                                                    read_labels(data.train_labels, classes),
                                                    read_labels(data.test_labels, classes), ""});
    check_rows(opened->train, std::nullopt, threads);
    check_rows(opened->test, std::nullopt, threads);
    return opened;
  });
  result->digest = digest_of_rows(result->train, result->train_labels) + " " +
                   digest_of_rows(result->test, result->test_labels) + " " + std::to_string(classes.size());
  return result;
}

std::vector<uint64_t> DataSet::rows_at(std::optional<double> ratio, uint64_t seed) const {
  if (ratio) return long_tail_rows(train_labels, classes, *ratio, seed);
  std::vector<uint64_t> all(train_labels.size());
  std::iota(all.begin(), all.end(), uint64_t{0});
  return all;
}

std::vector<int64_t> DataSet::labels_of(std::span<const uint64_t> rows) const {
  std::vector<int64_t> result;
  result.reserve(rows.size());
  for (const uint64_t row : rows) result.push_back(train_labels[row]);
  return result;
}

std::shared_ptr<const PoolSet> PoolSet::of(PublicData rows, unsigned threads) {
  auto cache = std::make_shared<PoolCache>(rows, threads);
  return std::make_shared<PoolSet>(PoolSet{std::move(rows), std::move(cache)});
}

std::shared_ptr<const PoolSet> PoolSet::open(const PublicData& whole, uint64_t rows, unsigned threads) {
  if (rows == whole.size()) return of(whole, threads);
  std::vector<float> values(rows * whole.dim());
  for (size_t i = 0; i < rows; ++i) whole.embeddings().row(i, std::span(values).subspan(i * whole.dim(), whole.dim()));
  return of(PublicData::from_memory(std::move(values), whole.dim(), threads), threads);
}

Space::Space(std::shared_ptr<const DataSet> data, std::shared_ptr<const PoolSet> pool, const TransformSpec& transform,
             bool floats, unsigned threads)
    : data_(std::move(data)), pool_(std::move(pool)), transformed_(transform.needs_pool()) {
  const PublicTransform full = transformed_ ? pool_->cache->transform(transform)
                                            : PublicTransform::compute(transform, data_->train.dim(), {}, threads);
  dim_ = full.output_dim();
  if (!transformed_ && !floats) return;
  train_ = std::make_shared<const std::vector<float>>(unit_rows(data_->train, full, threads));
  test_ = std::make_shared<const std::vector<float>>(unit_rows(data_->test, full, threads));
  if (!pool_) return;
  // A pool file may have done it already.
  const PublicTransform nothing = PublicTransform::restore({}, dim_, {}, {});
  unit_pool_ = PoolSet::of(
      PublicData::from_memory(
          unit_rows(pool_->rows.embeddings(), stored_transform(pool_->rows) ? nothing : full, threads), dim_, threads),
      threads);
  if (transformed_) pool_ = unit_pool_;
}

std::span<const float> Space::pool_values() const {
  if (!unit_pool_) return {};
  const Embeddings& rows = unit_pool_->rows.embeddings();
  return {reinterpret_cast<const float*>(rows.row_bytes(0).data()), rows.rows() * rows.dim()};
}

Embeddings Space::view(const Values& values, const Embeddings& stored) const {
  if (!transformed_) return first_rows(data_, stored, stored.rows());
  return Embeddings::view(MatrixView::of(*values, dim_), values, stored.path());
}

}  // namespace dppl
