#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace dppl::cli {

// One line on standard error for work that takes more than two seconds: how far, how fast, how long still. Rewritten in
// place on a terminal; a new line every ten seconds elsewhere.
class ProgressBar {
 public:
  // `unit` and `total` make a rate ("rows", 1000000); total 0: percentages only.
  explicit ProgressBar(std::string what, std::string unit = "", uint64_t total = 0);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(double fraction);               // safe from any thread
  void count(uint64_t done, uint64_t total);  // the same for few, long pieces of work: says how many

 private:
  void show(double fraction, const std::function<std::string(double elapsed)>& line);

  using Clock = std::chrono::steady_clock;
  std::string what_, unit_;
  uint64_t total_;
  bool terminal_, shown_ = false;
  Clock::time_point begin_, last_;
  std::mutex mutex_;
};

}  // namespace dppl::cli
