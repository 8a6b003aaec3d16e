#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

namespace dppl::serving {

// How often values fell below each of some bounds, as Prometheus counts.
template <size_t Bounds>
class Histogram {
 public:
  explicit Histogram(const std::array<double, Bounds>& bounds) : bounds_(bounds) {}

  void observe(double value) {
    size_t place = 0;
    while (place < Bounds && value > bounds_[place]) ++place;
    ++counts_[place];
    sum_ = sum_ + value;
  }
  // `label` is empty or name="value".
  void write(std::string& out, const std::string& name, const std::string& label) const;

 private:
  std::array<double, Bounds> bounds_;
  std::array<uint64_t, Bounds + 1> counts_{};
  double sum_ = 0;
};

// What the server has done, for /metrics. Safe from any thread. Labels are names of endpoints and of models that are
// served: what clients send never becomes one.
class Metrics {
 public:
  Metrics();

  void count_request(const std::string& endpoint, const std::string& model, int status, double seconds);
  void count_batch(const std::string& model, size_t rows, double seconds);
  void count_reload(bool good);

  // Connections that are open, and requests of theirs that are being answered.
  std::atomic<int64_t> connections{0}, requests{0};
  std::atomic<uint64_t> connections_accepted{0}, connections_refused{0}, connections_dropped{0};

  // In Prometheus' text format. `models` tells the name and the version of each model.
  std::string text(const std::map<std::string, std::string>& models, size_t memory_bytes) const;

 private:
  static constexpr std::array<double, 13> kSeconds{0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05,
                                                   0.1,    0.2,   0.5,   1,     2,    5};
  static constexpr std::array<double, 6> kRows{1, 8, 32, 128, 256, 512};
  using Seconds = Histogram<kSeconds.size()>;
  using Rows = Histogram<kRows.size()>;

  mutable std::mutex mutex_;
  std::map<std::tuple<std::string, std::string, int>, uint64_t> requests_;  // endpoint, model, status
  std::map<std::string, Seconds> seconds_;                                  // endpoint
  std::map<std::string, uint64_t> rows_;                                    // model
  Rows batches_{kRows};
  double busy_seconds_ = 0;
  uint64_t reloads_ = 0, failed_reloads_ = 0;
  std::chrono::system_clock::time_point started_;
};

}  // namespace dppl::serving
