#include "report/log_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dppl {
namespace {

constexpr double kMargin = 0.12;  // in decades, so that no marker touches an end
constexpr int kMostDecades = 8;   // with a tick each

std::string label_of(int digit, int decade) {
  if (decade < -4 || decade > 4) return fmt::format("{}e{}", digit, decade);
  return fmt::format("{:.{}f}", digit * std::pow(10, decade), std::max(0, -decade));
}

}  // namespace

LogAxis::LogAxis(double least, double most) : low_(std::log10(least) - kMargin), high_(std::log10(most) + kMargin) {
  const double missing = std::max(0.0, 1 - (high_ - low_));
  low_ -= missing / 2;
  high_ += missing / 2;
  const int first = static_cast<int>(std::floor(low_)), last = static_cast<int>(std::ceil(high_));
  const int step = (last - first) / kMostDecades + 1;
  const bool fine = high_ - low_ < 2.5;
  for (int decade = first; decade <= last; decade += step) {
    for (const int digit : {1, 2, 5}) {
      const double at = decade + std::log10(digit);
      if ((digit == 1 || fine) && at >= low_ && at <= high_)
        ticks_.push_back({std::pow(10, at), label_of(digit, decade)});
    }
  }
}

double LogAxis::position(double value) const { return (std::log10(value) - low_) / (high_ - low_); }

}  // namespace dppl
