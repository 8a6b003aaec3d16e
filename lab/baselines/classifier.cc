#include "lab/baselines/classifier.h"

#include <algorithm>
#include <numeric>

#include "base/parallel.h"
#include "kernels/gemm.h"
#include "lab/baselines/rows.h"
#include "lab/constants.h"

namespace dppl {
namespace {

std::vector<uint32_t> predict_rows(const LinearClassifier& classifier, std::span<const float> rows, unsigned threads) {
  const bool projects = !classifier.projection.empty();
  const size_t dim = projects ? classifier.projection.size() / classifier.dim : classifier.dim;
  const size_t classes = classifier.weights.size() / dim;
  std::vector<float> projected;
  if (projects) projected = project(rows, classifier.dim, classifier.projection, threads);
  const std::vector<float> scores = multiply(projects ? projected : rows, dim, classifier.weights, threads);
  std::vector<uint32_t> result(rows.size() / classifier.dim);
  for (size_t i = 0; i < result.size(); ++i) {
    const auto first = scores.begin() + static_cast<std::ptrdiff_t>(i * classes);
    result[i] = static_cast<uint32_t>(std::max_element(first, first + static_cast<std::ptrdiff_t>(classes)) - first);
  }
  return result;
}

// The class with the most votes among the k nearest; of equals the one whose votes are nearest in sum.
uint32_t vote(std::span<const float> cosines, std::span<const uint32_t> labels, size_t classes, size_t k,
              std::vector<uint32_t>& order) {
  std::iota(order.begin(), order.end(), uint32_t{0});
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(k);
  std::nth_element(order.begin(), middle - 1, order.end(),
                   [&](uint32_t a, uint32_t b) { return cosines[a] != cosines[b] ? cosines[a] > cosines[b] : a < b; });
  std::vector<std::pair<size_t, double>> votes(classes);
  std::sort(order.begin(), middle);  // sums in a fixed order
  for (auto i = order.begin(); i != middle; ++i) {
    ++votes[labels[*i]].first;
    votes[labels[*i]].second += static_cast<double>(cosines[*i]);
  }
  return static_cast<uint32_t>(std::max_element(votes.begin(), votes.end()) - votes.begin());
}

std::vector<uint32_t> predict_rows(const NeighbourClassifier& classifier, std::span<const float> rows,
                                   unsigned threads) {
  const size_t dim = classifier.dim, neighbours = classifier.labels.size();
  const size_t k = std::min(classifier.k, neighbours);
  std::vector<uint32_t> result(rows.size() / dim);
  parallel_blocks(result.size(), kVotingRows, threads, [&](size_t begin, size_t end, unsigned) {
    std::vector<float> cosines((end - begin) * neighbours);
    std::vector<uint32_t> order(neighbours);
    multiply_rows(rows.data() + begin * dim, end - begin, dim, classifier.rows.data(), neighbours, cosines.data());
    for (size_t i = begin; i < end; ++i) {
      const auto row = std::span<const float>(cosines).subspan((i - begin) * neighbours, neighbours);
      result[i] = vote(row, classifier.labels, classifier.classes, k, order);
    }
  });
  return result;
}

}  // namespace

LinearClassifier linear_classifier(size_t dim, std::span<const double> weights) {
  return {.dim = dim, .weights = to_float(weights)};
}

LinearClassifier nearest_prototype(size_t dim, std::vector<double> prototypes) {
  scale_to_unit(prototypes, dim);
  return linear_classifier(dim, prototypes);
}

std::vector<uint32_t> predict(const BaselineClassifier& classifier, std::span<const float> rows, unsigned threads) {
  return std::visit(
      [&](const auto& trained) {
        check_rows("rows to predict", rows, trained.dim);
        return predict_rows(trained, rows, threads);
      },
      classifier);
}

}  // namespace dppl
