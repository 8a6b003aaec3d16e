#include "support/small_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "dppl/embeddings.h"
#include "dppl/random.h"
#include "dppl/sweep.h"
#include "random/simulation.h"

namespace dppl::testing {
namespace {

constexpr size_t kDim = 8;
constexpr int64_t kClasses = 4;

void write_rows(const TempDir& dir, const std::string& rows, const std::string& labels, size_t count, uint64_t seed) {
  SeededRandom random(seed);
  std::vector<float> values;
  std::vector<int64_t> classes;
  for (size_t i = 0; i < count; ++i) {
    classes.push_back(static_cast<int64_t>(i) % kClasses);
    for (size_t k = 0; k < kDim; ++k) {
      const bool own = static_cast<int64_t>(k) == classes.back();
      values.push_back(static_cast<float>(1 + (own ? 2 : 0) + 0.3 * normal(random)));
    }
  }
  write_npy(dir.path(rows), values, kDim);
  if (!labels.empty()) write_npy(dir.path(labels), classes);
}

void write_merged_labels(const TempDir& dir, const std::string& labels, int64_t count) {
  std::vector<int64_t> classes;
  for (int64_t i = 0; i < count; ++i) classes.push_back(std::min<int64_t>(i % kClasses, 2));
  write_npy(dir.path(labels), classes);
}

}  // namespace

void write_small_data(const TempDir& dir) {
  write_rows(dir, "x.npy", "y.npy", 160, 1);
  write_rows(dir, "tx.npy", "ty.npy", 40, 2);
  write_rows(dir, "p.npy", "", 300, 3);
}

std::string write_natural_data(const TempDir& dir) {
  write_small_data(dir);
  write_merged_labels(dir, "y3.npy", 160);
  write_merged_labels(dir, "ty3.npy", 40);
  return R"([[data]]
name = "Natural"
encoder = "none"
train = "x.npy"
train-labels = "y3.npy"
test = "tx.npy"
test-labels = "ty3.npy"
classes = 3
pool = "P"
long-tail = false
)";
}

std::string write_small_plan(const TempDir& dir, std::string_view methods, std::string_view rho) {
  return dir.file("plan.toml", fmt::format(R"(title = "Small, \"quoted\""
rho = {}
ratio = [1, 4]
seeds = 2
[[data]]
name = "Four, five\"s"
encoder = "none"
train = "x.npy"
train-labels = "y.npy"
test = "tx.npy"
test-labels = "ty.npy"
classes = 4
pool = "P"
[[pool]]
name = "P"
file = "p.npy"
{})",
                                           rho, methods));
}

std::string without_seconds(const std::string& csv) {
  std::vector<SweepRow> rows = parse_results(csv, "results.csv");
  for (SweepRow& row : rows) row.seconds = 0;
  return results_csv(rows);
}

}  // namespace dppl::testing
