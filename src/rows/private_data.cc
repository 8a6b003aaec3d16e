#include <fmt/format.h>

#include "dppl/embeddings.h"
#include "dppl/invalid_record.h"
#include "rows/check_rows.h"
#include "rows/labels.h"
#include "rows/people.h"

namespace dppl {
namespace {

void check_counts(const Embeddings& embeddings, size_t count, std::string_view name, std::string_view what) {
  if (embeddings.rows() != count) {
    throw InvalidRecord(
        fmt::format("{}: not as many {}s as {} has rows; give one {} per row", name, what, embeddings.path(), what),
        fmt::format("{} {}s for {} rows", count, what, embeddings.rows()));
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

PrivateData::PrivateData(PrivateData&&) noexcept = default;
PrivateData& PrivateData::operator=(PrivateData&&) noexcept = default;
PrivateData::~PrivateData() = default;

PrivateData PrivateData::open(const Files& files, ClassSet classes, unsigned threads) {
  Embeddings embeddings = Embeddings::open(files.embeddings);
  std::vector<int64_t> labels = read_labels(files.labels, classes), ids;
  check_counts(embeddings, labels.size(), files.labels, "label");
  if (!files.people.empty()) {
    ids = read_people(files.people);
    check_counts(embeddings, ids.size(), files.people, "person");
  }
  std::optional<std::vector<uint64_t>> rows;
  if (!files.rows.empty()) {
    rows = read_rows(files.rows, embeddings.rows());
    labels = pick(labels, *rows);
    if (!files.people.empty()) ids = pick(ids, *rows);
  }
  PrivateData data(std::move(embeddings), std::move(labels), std::move(rows), std::move(classes), threads);
  return files.people.empty() ? std::move(data) : std::move(data).with_people(ids);
}

PrivateData PrivateData::with_people(std::span<const int64_t> ids) && {
  if (ids.size() != labels_.size()) {
    throw InvalidRecord("people: not as many as there are records; give one person per record",
                        fmt::format("{} for {} records", ids.size(), labels_.size()));
  }
  check_people(ids, "people");
  People::Sorted sorted = People::sort(ids, labels_);
  std::vector<int64_t> labels;
  std::vector<uint64_t> rows;
  for (const size_t i : sorted.order) {
    labels.push_back(labels_[i]);
    rows.push_back(rows_ ? (*rows_)[i] : i);
  }
  labels_ = std::move(labels);
  rows_ = std::move(rows);
  people_ = std::make_unique<const People>(std::move(sorted.people));
  return std::move(*this);
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
  check_counts(embeddings, labels.size(), "labels in memory", "label");
  check_labels(labels, classes, "labels in memory");
  return PrivateData(std::move(embeddings), {labels.begin(), labels.end()}, std::nullopt, std::move(classes), threads);
}

}  // namespace dppl
