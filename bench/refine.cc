// One exact gradient of a refinement, 50,000 records × 256 directions × 100 classes, two threads, against the two
// matrix products it is made of in plain float by oneDNN (no softmax, no integers, no promise). "x_products": one over
// the other. 50,000 × 256 × 100 multiplications twice: 2.56 G; what a core can do beside it is in docs/benchmarks.md.
#include <benchmark/benchmark.h>

#include "base/parallel.h"
#include "kernels/gemm.h"
#include "random/simulation.h"
#include "seconds.h"
#include "statistics/class_sums/class_sums.h"
#include "statistics/gradient_sum/gradient_sum.h"

namespace dppl {
namespace {

using bench::seconds_since;

constexpr size_t kRows = 50000, kDim = 256, kClasses = 100;
constexpr unsigned kThreads = 2;

double seconds_of_products(const std::vector<float>& rows, const std::vector<float>& weights) {
  constexpr size_t kBlock = 1000;
  std::vector<std::vector<float>> scores(kThreads, std::vector<float>(kBlock * kClasses)),
      sums(kThreads, std::vector<float>(kClasses * kDim));
  const auto begin = std::chrono::steady_clock::now();
  parallel_blocks(kRows, kBlock, kThreads, [&](size_t from, size_t to, unsigned thread) {
    const float* block = rows.data() + from * kDim;
    multiply_rows(block, to - from, kDim, weights.data(), kClasses, scores[thread].data());
    multiply_columns(scores[thread].data(), to - from, kClasses, block, kDim, sums[thread].data());
    benchmark::DoNotOptimize(sums[thread].data());
  });
  return seconds_since(begin);
}

void gradient_of_50000_rows(benchmark::State& state) {
  SeededRandom random(1);
  std::vector<float> values(kRows * kDim), weights(kClasses * kDim);
  std::vector<int64_t> labels(kRows);
  for (float& value : values) value = static_cast<float>(normal(random));
  for (float& value : weights) value = static_cast<float>(normal(random));
  for (size_t i = 0; i < kRows; ++i) labels[i] = static_cast<int64_t>(i % kClasses);
  const PrivateData data = PrivateData::from_memory(values, kDim, labels, ClassSet::numbered(kClasses));
  const PrivateAccess access(data);
  const PublicTransform transform = PublicTransform::compute({}, kDim, {});
  SmallRows rows(kRows, kDim);
  class_sums({access, kClasses, transform, kThreads}, rows);
  const GradientSums gradients(rows, access, kThreads);
  const std::vector<double> point(weights.begin(), weights.end()), offsets(kClasses);
  double gradient = 0, products = 0;
  for (auto _ : state) {
    products += seconds_of_products(values, weights);
    const auto begin = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(gradients.at({point, offsets}).values.data());
    gradient += seconds_since(begin);
  }
  const auto runs = static_cast<double>(state.iterations());
  state.counters["gradient_ms"] = 1e3 * gradient / runs;
  state.counters["products_ms"] = 1e3 * products / runs;
  state.counters["x_products"] = gradient / products;
}
BENCHMARK(gradient_of_50000_rows)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace dppl
