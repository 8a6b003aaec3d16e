#include "dppl/classify.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>

#include "base/parallel.h"
#include "dppl/invalid_record.h"
#include "kernels/gemm.h"
#include "kernels/row_math.h"
#include "model/check_model.h"
#include "model/class_centers.h"
#include "model/constants.h"

namespace dppl {
namespace {

// A file may hold prototypes so long that a product of float32 overflows. What came of it counts as the largest or the
// smallest number, so that probabilities are numbers whatever the model.
float finite(float score) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  return std::isnan(score) ? -kLargest : std::clamp(score, -kLargest, kLargest);
}

// Softmax of scale × scores. No exponent is above 0 and the largest is 0: nothing overflows, and the sum is at least 1.
void softmax(std::span<const float> scores, double scale, std::span<double> powers, std::span<float> probabilities) {
  size_t top = 0;
  for (size_t c = 1; c < scores.size(); ++c) {
    if (finite(scores[c]) > finite(scores[top])) top = c;
  }
  const auto largest = static_cast<double>(finite(scores[top]));
  double total = 0;
  for (size_t c = 0; c < scores.size(); ++c) {
    powers[c] = std::exp(scale * (static_cast<double>(finite(scores[c])) - largest));
    total += powers[c];
  }
  for (size_t c = 0; c < scores.size(); ++c) probabilities[c] = static_cast<float>(powers[c] / total);
  // Rounding may make two equal; then the top stays ahead of those that would be found first.
  for (size_t c = 0; c < top; ++c) {
    if (probabilities[c] == probabilities[top]) probabilities[c] = std::nextafter(probabilities[c], 0.0f);
  }
}

}  // namespace

struct Classifier::State {
  PublicTransform transform;
  size_t classes, input_dim, output_dim;
  double score_scale;
  unsigned threads;
  std::vector<float> centers;
  // The same seen from the raw rows: similarity ∝ weights·x/‖x‖ − offset, up to a positive factor a row.
  std::vector<float> weights, offsets;
  bool has_offsets = false;

  State(const Model& model, unsigned thread_count)
      : transform(model.transform),
        classes(model.classes.size()),
        input_dim(model.input_dim()),
        output_dim(model.output_dim()),
        score_scale(model.used_score_scale()),
        threads(thread_count),
        centers(class_centers(model)),
        weights(classes * input_dim),
        offsets(classes) {
    check_score_scale(model);
    for (size_t c = 0; c < classes; ++c) fold(c);
  }

  void fold(size_t c) {
    const size_t pooled = transform.pooled_dim(), width = transform.spec().window;
    double offset = 0;
    for (size_t j = 0; j < pooled; ++j) {
      double value = 0;
      if (transform.basis().empty()) {
        value = static_cast<double>(centers[c * output_dim + j]);
      } else {
        for (size_t k = 0; k < output_dim; ++k) {
          value += static_cast<double>(transform.basis()[j * output_dim + k]) *
                   static_cast<double>(centers[c * output_dim + k]);
        }
      }
      if (!transform.mean().empty()) offset += value * static_cast<double>(transform.mean()[j]);
      for (size_t i = j * width; i < (j + 1) * width; ++i)
        weights[c * input_dim + i] = static_cast<float>(value / static_cast<double>(width));
    }
    offsets[c] = static_cast<float>(offset);
    has_offsets = has_offsets || offset != 0;
  }

  // A block of rows as float32, without a copy where the file has them.
  const float* block(const Embeddings& rows, size_t begin, size_t end, std::vector<float>& copy) const {
    copy.resize((end - begin) * input_dim);
    const auto first = rows.row_view(begin, std::span(copy).first(input_dim));
    const auto last = rows.row_view(end - 1, std::span(copy).first(input_dim));
    // Aligned float32, and the rows follow one another: not with a stride, nor in several files.
    if (first.data() != copy.data() && last.data() == first.data() + (end - 1 - begin) * input_dim) return first.data();
    for (size_t i = begin; i < end; ++i) rows.row(i, std::span(copy).subspan((i - begin) * input_dim, input_dim));
    return copy.data();
  }

  // What became of a row's length on the way to its numbers.
  enum class Scaled : bool { no, to_unit_length };

  // Per row numbers that order the classes as the similarities do: those up to a positive factor, which score() makes
  // good and predict() need not know. The same bits for both, since this is one product of the same blocks.
  void folded_block(const float* rows, size_t count, float* scores, int32_t* nearest, Scaled* scaled) const {
    multiply_rows(rows, count, input_dim, weights.data(), classes, scores);
    for (size_t i = 0; i < count; ++i) {
      float* row = scores + i * classes;
      scaled[i] = subtract_offsets(rows + i * input_dim, row);
      nearest[i] = static_cast<int32_t>(std::max_element(row, row + classes) - row);
    }
  }

  Scaled subtract_offsets(const float* x, float* row) const {
    const bool extreme = !is_ordinary(row);
    if (extreme) {
      std::vector<float> unit(input_dim);
      normalise_row(x, input_dim, unit.data());
      multiply_rows(unit.data(), 1, input_dim, weights.data(), classes, row);
    }
    if (has_offsets) {
      const auto scale = extreme ? 1.0f : static_cast<float>(inverse_length(x, input_dim));
      for (size_t c = 0; c < classes; ++c) row[c] = row[c] * scale - offsets[c];
    }
    return extreme || has_offsets ? Scaled::to_unit_length : Scaled::no;
  }

  // Whether the products of a row of this length neither overflowed nor lost digits.
  bool is_ordinary(const float* row) const {
    float total = 0;
    for (size_t c = 0; c < classes; ++c) total += std::abs(row[c]);
    return total >= 0x1p-60f && total <= 0x1p60f;
  }

  // Similarities from what folded_block() says.
  void scale_scores(const float* rows, size_t count, float* scores, const int32_t* nearest,
                    const Scaled* scaled) const {
    std::vector<float> transformed(count * output_dim);
    transform.apply({rows, count * input_dim}, transformed);
    for (size_t i = 0; i < count; ++i) {
      double factor = inverse_length(transformed.data() + i * output_dim, output_dim);
      if (scaled[i] == Scaled::no) factor *= inverse_length(rows + i * input_dim, input_dim);
      scale_in_order(scores + i * classes, factor, static_cast<size_t>(nearest[i]));
    }
  }

  // Rounding may make two equal; then the nearest stays ahead of those that would be found first.
  void scale_in_order(float* row, double factor, size_t nearest) const {
    for (size_t c = 0; c < classes; ++c) row[c] = static_cast<float>(static_cast<double>(row[c]) * factor);
    for (size_t c = 0; c < nearest; ++c) {
      if (row[c] == row[nearest]) row[c] = std::nextafter(row[c], -std::numeric_limits<float>::infinity());
    }
  }

  enum class Wanted : bool { nearest, scores };

  // The one way from rows to labels. Without `Wanted::scores` what stands in `scores` is of no use afterwards.
  void classify_block(const Embeddings& rows, size_t begin, size_t end, Wanted wanted, float* scores,
                      int32_t* nearest) const {
    thread_local std::vector<float> copy;
    thread_local std::vector<Scaled> scaled;
    const float* values = block(rows, begin, end, copy);
    scaled.resize(end - begin);
    folded_block(values, end - begin, scores, nearest, scaled.data());
    if (wanted == Wanted::scores) scale_scores(values, end - begin, scores, nearest, scaled.data());
  }

  void check(const Embeddings& rows) const {
    if (rows.dim() == input_dim) return;
    throw InvalidRecord(
        fmt::format("{}: the model was made for rows of dimension {}, these have another; embed them with "
                    "the same encoder",
                    rows.path(), input_dim),
        fmt::format("they have {}", rows.dim()));
  }
};

Classifier::Classifier(const Model& model, unsigned threads) : state_(std::make_unique<State>(model, threads)) {}
Classifier::~Classifier() = default;
Classifier::Classifier(Classifier&&) noexcept = default;
Classifier& Classifier::operator=(Classifier&&) noexcept = default;

size_t Classifier::dim() const { return state_->input_dim; }
size_t Classifier::classes() const { return state_->classes; }

std::vector<int32_t> Classifier::predict(const Embeddings& rows, const Progress& progress) const {
  state_->check(rows);
  std::vector<int32_t> nearest(rows.rows());
  std::atomic<uint64_t> done{0};
  std::mutex progress_mutex;
  parallel_blocks(rows.rows(), kRowsTogether, state_->threads, [&](size_t begin, size_t end, unsigned) {
    thread_local std::vector<float> scores;
    scores.resize((end - begin) * state_->classes);
    state_->classify_block(rows, begin, end, State::Wanted::nearest, scores.data(), nearest.data() + begin);
    done += end - begin;
    if (progress) {
      const std::lock_guard lock(progress_mutex);
      progress(done);
    }
  });
  return nearest;
}

void Classifier::score(const Embeddings& rows, const Take& take) const {
  state_->check(rows);
  std::vector<float> scores;
  std::vector<int32_t> nearest;
  // As many of predict()'s blocks at a time as there are threads.
  const size_t together = kRowsTogether * std::max(state_->threads, 1u);
  for (size_t begin = 0; begin < rows.rows(); begin += together) {
    const size_t count = std::min(together, rows.rows() - begin);
    scores.resize(count * state_->classes);
    nearest.resize(count);
    parallel_blocks(count, kRowsTogether, state_->threads, [&](size_t first, size_t last, unsigned) {
      state_->classify_block(rows, begin + first, begin + last, State::Wanted::scores,
                             scores.data() + first * state_->classes, nearest.data() + first);
    });
    take(begin, scores, nearest);
    rows.give_back(begin, begin + count);
  }
}

std::vector<float> Classifier::probabilities(std::span<const float> scores) const {
  const size_t classes = state_->classes;
  if (scores.size() % classes != 0) {
    throw InvalidInput(fmt::format("scores: {} values do not make rows of {} classes", scores.size(), classes));
  }
  std::vector<float> result(scores.size());
  parallel_blocks(scores.size() / classes, kRowsTogether, state_->threads, [&](size_t begin, size_t end, unsigned) {
    std::vector<double> powers(classes);
    for (size_t i = begin; i < end; ++i) {
      softmax(scores.subspan(i * classes, classes), state_->score_scale, powers,
              std::span(result).subspan(i * classes, classes));
    }
  });
  return result;
}

}  // namespace dppl
