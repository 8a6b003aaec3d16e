#include "dppl/class_knowledge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/digest.h"
#include "dppl/invalid_record.h"
#include "rows/labels.h"
#include "rows/public_access.h"

namespace dppl {
namespace {

bool is_zero(std::span<const float> row) {
  return std::ranges::all_of(row, [](float value) { return value == 0; });
}

std::vector<float> read_prior(const Embeddings& rows, size_t classes) {
  if (rows.rows() != classes) {
    throw InvalidInput(
        fmt::format("{}: has {} rows for {} classes; give one row per class, zeros where nothing is "
                    "known",
                    rows.path(), rows.rows(), classes));
  }
  std::vector<float> values(rows.rows() * rows.dim());
  for (size_t c = 0; c < classes; ++c) {
    const auto row = std::span(values).subspan(c * rows.dim(), rows.dim());
    rows.row(c, row);
    if (!std::ranges::all_of(row, [](float value) { return std::isfinite(value); })) {
      throw InvalidInput(fmt::format("{}: row {} holds a value that is not finite", rows.path(), c));
    }
  }
  return values;
}

}  // namespace

ClassKnowledge::ClassKnowledge(ClassSet classes, std::optional<PublicData> examples, std::vector<int64_t> labels,
                               const std::optional<Embeddings>& prior)
    : classes_(std::move(classes)), examples_(std::move(examples)), labels_(std::move(labels)) {
  if (examples_) {
    if (PublicAccess(*examples_).shards() != nullptr) {
      throw InvalidInput(fmt::format("{}: is a pool file; give examples as a .npy", examples_->embeddings().path()));
    }
    dim_ = examples_->dim();
    if (labels_.size() != examples_->size()) {
      throw InvalidInput(fmt::format("{}: has {} rows and {} labels; give one label per example",
                                     examples_->embeddings().path(), examples_->size(), labels_.size()));
    }
    with_public_records([&] { check_labels(labels_, classes_, "example labels"); });
  } else if (!labels_.empty()) {
    throw InvalidInput("example labels: there are no examples that they belong to");
  }
  if (prior) {
    if (examples_ && prior->dim() != dim_) {
      throw InvalidInput(fmt::format("{}: has dimension {}, the examples have {}; embed both with the same encoder",
                                     prior->path(), prior->dim(), dim_));
    }
    dim_ = prior->dim();
    prior_ = read_prior(*prior, classes_.size());
  }
  if (known_classes() == 0) throw InvalidInput("class knowledge: nothing is known of any class; leave it out");
}

ClassKnowledge ClassKnowledge::open(const ClassSet& classes, const std::string& examples, const std::string& labels,
                                    const std::string& prior, unsigned threads) {
  std::optional<PublicData> rows;
  std::vector<int64_t> numbers;
  if (!examples.empty()) {
    rows = PublicData::open(examples, threads);
    numbers = with_public_records([&] { return read_labels(labels, classes); });
  }
  std::optional<Embeddings> vectors;
  if (!prior.empty()) vectors.emplace(with_public_records([&] { return Embeddings::open(prior); }));
  return {classes, std::move(rows), std::move(numbers), vectors};
}

size_t ClassKnowledge::classes_with_prior() const {
  size_t count = 0;
  for (size_t i = 0; i < prior_.size(); i += dim_) count += is_zero(std::span(prior_).subspan(i, dim_)) ? 0 : 1;
  return count;
}

size_t ClassKnowledge::known_classes() const {
  std::vector<bool> known(classes_.size());
  for (const int64_t label : labels_) known[static_cast<size_t>(label)] = true;
  for (size_t c = 0; c * dim_ < prior_.size(); ++c) {
    if (!is_zero(std::span(prior_).subspan(c * dim_, dim_))) known[c] = true;
  }
  return static_cast<size_t>(std::ranges::count(known, true));
}

std::string ClassKnowledge::digest() const {
  DigestStream digest;
  const std::string head =
      fmt::format("{} {} {}\n", examples_ ? examples_->digest() : "", labels_.size(), prior_.size());
  digest.add(std::as_bytes(std::span(head)));
  digest.add(std::as_bytes(std::span(labels_)));
  digest.add(std::as_bytes(std::span(prior_)));
  return to_hex(digest.finish());
}

}  // namespace dppl
