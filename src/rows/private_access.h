#pragma once

#include <cstdint>
#include <span>

#include "dppl/embeddings.h"
#include "rows/people.h"

namespace dppl {

// The one door to private records, for code that ends in a mechanism. Record i is the i-th of those that take part;
// what comes out of here must not reach a log, a message or a file.
class PrivateAccess {
 public:
  explicit PrivateAccess(const PrivateData& data) : data_(data) {}

  // Records that are open already, for experiments: rows of a matrix, and one label per row. Checked as all others are.
  static PrivateData some_rows(Embeddings embeddings, std::vector<int64_t> labels, std::vector<uint64_t> rows,
                               ClassSet classes, unsigned threads) {
    return PrivateData(std::move(embeddings), std::move(labels), std::move(rows), std::move(classes), threads);
  }

  size_t size() const { return data_.labels_.size(); }
  std::span<const int64_t> labels() const { return data_.labels_; }
  // Who the records are of; null: every record is on its own, and privacy is for records.
  const People* people() const { return data_.people_.get(); }
  // The stored matrix and the row of it that holds record i.
  const Embeddings& embeddings() const { return data_.embeddings_; }
  size_t row_of(size_t i) const { return data_.rows_ ? (*data_.rows_)[i] : i; }

  std::span<const float> row_view(size_t i, std::span<float> scratch) const {
    return data_.embeddings_.row_view(row_of(i), scratch);
  }

 private:
  const PrivateData& data_;
};

}  // namespace dppl
