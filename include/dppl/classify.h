#pragma once

#include <functional>
#include <span>
#include <vector>

#include "dppl/model.h"

namespace dppl {

// The model as a linear classifier: both distances (cosine, inner product), the mean over a class's prototypes and
// the public transform fold into one vector and one offset per class, so that prediction is one matrix product.
class Classifier {
 public:
  explicit Classifier(const Model& model, unsigned threads = kDefaultThreads);
  ~Classifier();
  Classifier(Classifier&&) noexcept;
  Classifier& operator=(Classifier&&) noexcept;

  size_t dim() const;
  size_t classes() const;

  using Progress = std::function<void(uint64_t rows_done)>;
  // The nearest class of every row.
  std::vector<int32_t> predict(const Embeddings& rows, const Progress& progress = {}) const;
  // The similarity of every row to every class, block by block in order: cosine (mean over a class's prototypes), or
  // the inner product (dot). Larger is nearer. `take` gets the first row's number, the
  // scores (rows × classes) and the nearest classes, which are those of predict() and the first with the largest score.
  using Take = std::function<void(uint64_t first, std::span<const float> scores, std::span<const int32_t> nearest)>;
  void score(const Embeddings& rows, const Take& take) const;
  // The class probabilities of the rows whose scores these are (rows × classes, as score() tells them): softmax of the
  // model's score scale times the scores. All are finite, each row's sum is 1 up to the rounding of float32, and the
  // first with the largest probability is the first with the largest score, which is the nearest class. They are how
  // sure the model is; `evaluate_confidence` measures how far that is justified.
  std::vector<float> probabilities(std::span<const float> scores) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dppl
