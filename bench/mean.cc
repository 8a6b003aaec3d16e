// DPPL-Mean's own work on 50,000 × 1,280 float32 in the page cache, two threads, against reading that file once (read()
// through a buffer of 1 MB, the cheapest way there is). "x_read": all checks and exact class sums over one reading; the
// noise stands beside it.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "dppl/embeddings.h"
#include "methods/release.h"
#include "seconds.h"
#include "statistics/class_sums/class_sums.h"

namespace dppl {
namespace {

using bench::seconds_since;

constexpr size_t kRows = 50000, kDim = 1280, kClasses = 100;

struct Files {
  std::filesystem::path directory = std::filesystem::temp_directory_path() / ("dppl-bench-" + std::to_string(getpid()));
  std::string rows = directory / "x.npy", labels = directory / "y.npy";

  Files() {
    std::filesystem::create_directory(directory);
    SeededRandom random(1);
    NpyRowsWriter writer(rows, kDim);
    std::vector<float> row(kDim);
    std::vector<int32_t> classes(kRows);
    for (size_t i = 0; i < kRows; ++i) {
      for (float& value : row) value = static_cast<float>(random.next64() >> 40) - 0x1p23f;
      writer.append(row);
      classes[i] = static_cast<int32_t>(i % kClasses);
    }
    writer.commit();
    write_npy(labels, classes);
  }
  ~Files() { std::filesystem::remove_all(directory); }
};

double seconds_of_reading(const std::string& path) {
  std::vector<char> buffer(1 << 20);
  const auto begin = std::chrono::steady_clock::now();
  const int fd = open(path.c_str(), O_RDONLY);
  while (read(fd, buffer.data(), buffer.size()) > 0) benchmark::DoNotOptimize(buffer.data());
  close(fd);
  return seconds_since(begin);
}

void mean_of_50000_rows(benchmark::State& state) {
  const Files files;
  const PublicTransform transform = PublicTransform::compute({}, kDim, {});
  SecureRandom random;
  double reading = 0, sums = 0, noise = 0;
  for (auto _ : state) {
    reading += seconds_of_reading(files.rows);
    auto begin = std::chrono::steady_clock::now();
    const PrivateData data = PrivateData::open({files.rows, files.labels}, ClassSet::numbered(kClasses));
    const PrivateAccess access(data);
    BoundedSum exact = class_sums({access, kClasses, transform, 2});
    sums += seconds_since(begin);
    begin = std::chrono::steady_clock::now();
    release_class_sums(exact, kClasses, Budget::unledgered(BudgetSpec::zcdp(Rational(1, 10))),
                       FitStreams(random, kClasses), 2);
    noise += seconds_since(begin);
  }
  const double runs = static_cast<double>(state.iterations());
  state.counters["read_ms"] = 1e3 * reading / runs;
  state.counters["sums_ms"] = 1e3 * sums / runs;
  state.counters["noise_ms"] = 1e3 * noise / runs;
  state.counters["x_read"] = sums / reading;
}
BENCHMARK(mean_of_50000_rows)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace dppl
