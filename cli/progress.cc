#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

namespace dppl::cli {

ProgressBar::ProgressBar(std::string what, std::string unit, uint64_t total)
    : what_(std::move(what)),
      unit_(std::move(unit)),
      total_(total),
      terminal_(isatty(STDERR_FILENO) != 0),
      begin_(Clock::now()),
      last_(begin_) {}

ProgressBar::~ProgressBar() {
  if (shown_ && terminal_) std::cerr << "\r\033[K" << std::flush;
}

void ProgressBar::show(double fraction, const std::function<std::string(double)>& line) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  const double since_last = std::chrono::duration<double>(now - last_).count();
  if (elapsed < 2 || fraction <= 0 || since_last < (terminal_ ? 0.1 : 10)) return;
  last_ = now;
  shown_ = true;
  // In a log that others read, how fast and how long would tell how many records there are.
  const std::string text =
      terminal_ ? fmt::format("{}, {:.0f} s left", line(elapsed), elapsed / fraction - elapsed) : line(elapsed);
  std::cerr << (terminal_ ? "\r\033[K" + text : text + "\n") << std::flush;
}

void ProgressBar::update(double fraction) {
  show(fraction, [&](double elapsed) {
    const std::string line = fmt::format("{}: {:.0f}%", what_, 100 * fraction);
    if (total_ == 0 || !terminal_) return line;
    return fmt::format("{}, {:.0f} {}/s", line, fraction * static_cast<double>(total_) / elapsed, unit_);
  });
}

void ProgressBar::count(uint64_t done, uint64_t total) {
  show(static_cast<double>(done) / static_cast<double>(total), [&](double elapsed) {
    return fmt::format("{}: {} of {} {}, {:.2g} {}/s", what_, done, total, unit_, static_cast<double>(done) / elapsed,
                       unit_);
  });
}

}  // namespace dppl::cli
