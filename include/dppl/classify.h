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

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dppl
