#include <algorithm>
#include <numeric>

#include "base/parallel.h"
#include "kernels/gemm.h"
#include "lab/baselines/methods.h"

namespace dppl {
namespace {

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

BaselineResult run(const BaselineInput& input, SeededRandom&) {
  constexpr size_t kBlock = 128;
  const LabelledRows& train = input.train;
  const size_t tests = input.test.size() / train.dim;
  const size_t k = std::min(static_cast<size_t>(input.settings.at("k")), train.count());
  BaselineResult result{std::vector<uint32_t>(tests)};
  parallel_blocks(tests, kBlock, input.threads, [&](size_t begin, size_t end, unsigned) {
    std::vector<float> cosines((end - begin) * train.count());
    std::vector<uint32_t> order(train.count());
    multiply_rows(input.test.data() + begin * train.dim, end - begin, train.dim, train.values.data(), train.count(),
                  cosines.data());
    for (size_t i = begin; i < end; ++i) {
      const auto row = std::span<const float>(cosines).subspan((i - begin) * train.count(), train.count());
      result.predicted[i] = vote(row, train.labels, train.classes, k, order);
    }
  });
  return result;
}

}  // namespace

Baseline nearest_neighbour() {
  return {
      "nearest-neighbour", "without privacy: vote of the k nearest training rows, by cosine", false, {{"k", 20}}, run};
}

}  // namespace dppl
