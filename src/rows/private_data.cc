#include <fmt/format.h>

#include "dppl/embeddings.h"
#include "dppl/invalid_record.h"
#include "rows/check_rows.h"
#include "rows/labels.h"

namespace dppl {
namespace {

void check_counts(const Embeddings& embeddings, size_t labels, std::string_view labels_name) {
  if (embeddings.rows() != labels) {
    throw InvalidRecord(
        fmt::format("{}: not as many labels as {} has rows; give one label per row", labels_name, embeddings.path()),
        fmt::format("{} labels for {} rows", labels, embeddings.rows()));
  }
}

std::vector<int64_t> pick(const std::vector<int64_t>& labels, const std::vector<uint64_t>& rows) {
  std::vector<int64_t> result;
  result.reserve(rows.size());
  for (const uint64_t row : rows) result.push_back(labels[row]);
  return result;
}

}  // namespace

PrivateData::PrivateData(Embeddings embeddings, std::vector<int64_t> labels, std::optional<std::vector<uint64_t>> rows,
                         ClassSet classes, unsigned threads)
    : embeddings_(std::move(embeddings)),
      labels_(std::move(labels)),
      rows_(std::move(rows)),
      classes_(std::move(classes)) {
  check_rows(embeddings_, rows_, threads);
}

PrivateData PrivateData::open(const std::string& embeddings_path, const std::string& labels_path, ClassSet classes,
                              const std::optional<std::string>& rows_path, unsigned threads) {
  Embeddings embeddings = Embeddings::open(embeddings_path);
  std::vector<int64_t> labels = read_labels(labels_path, classes);
  check_counts(embeddings, labels.size(), labels_path);
  std::optional<std::vector<uint64_t>> rows;
  if (rows_path) {
    rows = read_rows(*rows_path, embeddings.rows());
    labels = pick(labels, *rows);
  }
  return PrivateData(std::move(embeddings), std::move(labels), std::move(rows), std::move(classes), threads);
}

PrivateData PrivateData::from_memory(std::vector<float> values, size_t dim, std::vector<int64_t> labels,
                                     ClassSet classes, unsigned threads) {
  auto owner = std::make_shared<const std::vector<float>>(std::move(values));
  const MatrixView rows = MatrixView::of(*owner, dim);
  return view(rows, labels, std::move(classes), std::move(owner), threads);
}

PrivateData PrivateData::view(const MatrixView& rows, std::span<const int64_t> labels, ClassSet classes,
                              std::shared_ptr<const void> owner, unsigned threads) {
  Embeddings embeddings = Embeddings::view(rows, std::move(owner));
  check_counts(embeddings, labels.size(), "labels in memory");
  check_labels(labels, classes, "labels in memory");
  return PrivateData(std::move(embeddings), {labels.begin(), labels.end()}, std::nullopt, std::move(classes), threads);
}

}  // namespace dppl
