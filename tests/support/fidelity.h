#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "dppl/classify.h"
#include "support/onnx_run.h"

namespace dppl::testing {

// How far an exported file says what the program says.
struct Fidelity {
  static constexpr double kTie = 1e-5;

  size_t rows = 0;
  size_t different = 0;      // labels that differ although the program finds one class nearer by more than kTie
  size_t ties = 0;           // other labels that differ
  double scores = 0;         // the largest difference, relative to the largest score of all where that is above 1
  double probabilities = 0;  // the largest difference
};

// `outputs`: label, scores and probabilities of the same rows.
inline Fidelity compare(const Classifier& classifier, const Embeddings& rows,
                        const std::vector<RuntimeTensor>& outputs) {
  Fidelity result;
  const size_t classes = classifier.classes();
  const std::vector<int64_t>& labels = outputs.at(0).integers();
  const std::vector<float>&scores = outputs.at(1).floats(), &probabilities = outputs.at(2).floats();
  if (labels.size() != rows.rows() || scores.size() != rows.rows() * classes || probabilities.size() != scores.size())
    throw std::runtime_error("the outputs are not of these rows");
  double largest = 1;
  classifier.score(rows, [&](uint64_t first, std::span<const float> expected, std::span<const int32_t> nearest) {
    const std::vector<float> probable = classifier.probabilities(expected);
    const size_t begin = static_cast<size_t>(first) * classes;
    for (size_t i = 0; i < expected.size(); ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
      // A comparison that a NaN fails.
      const auto differ = [](float a, float b) {
        const double difference = std::abs(static_cast<double>(a) - static_cast<double>(b));
        return difference >= 0 ? difference : INFINITY;
      };
      result.scores = std::max(result.scores, differ(scores[begin + i], expected[i]));
      result.probabilities = std::max(result.probabilities, differ(probabilities[begin + i], probable[i]));
    }
    for (size_t i = 0; i < nearest.size(); ++i, ++result.rows) {
      const int64_t label = labels[static_cast<size_t>(first) + i];
      if (label == nearest[i]) continue;
      const double gap = static_cast<double>(expected[i * classes + static_cast<size_t>(nearest[i])]) -
                         static_cast<double>(expected[i * classes + static_cast<size_t>(label)]);
      ++(gap <= Fidelity::kTie ? result.ties : result.different);
    }
  });
  result.scores /= largest;
  return result;
}

inline const std::vector<std::string>& exported_outputs() {
  static const std::vector<std::string> kOutputs{"label", "scores", "probabilities"};
  return kOutputs;
}

// All rows in one run.
inline Fidelity compare_file(const Model& model, std::vector<float> values, const std::string& path) {
  const size_t dim = model.input_dim();
  const RuntimeTensor in{{static_cast<int64_t>(values.size() / dim), static_cast<int64_t>(dim)}, values};
  return compare(Classifier(model), Embeddings::from_memory(std::move(values), dim),
                 OnnxRun(path)("embedding", in, exported_outputs()));
}

}  // namespace dppl::testing
