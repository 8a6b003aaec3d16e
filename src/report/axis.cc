#include "report/axis.h"

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

Axis Axis::logarithmic(double least, double most) {
  Axis axis(std::log10(least) - kMargin, std::log10(most) + kMargin, true);
  const double missing = std::max(0.0, 1 - (axis.high_ - axis.low_));
  axis.low_ -= missing / 2;
  axis.high_ += missing / 2;
  const int first = static_cast<int>(std::floor(axis.low_)), last = static_cast<int>(std::ceil(axis.high_));
  const int step = (last - first) / kMostDecades + 1;
  const bool fine = axis.high_ - axis.low_ < 2.5;
  for (int decade = first; decade <= last; decade += step) {
    for (const int digit : {1, 2, 5}) {
      const double at = decade + std::log10(digit);
      if ((digit == 1 || fine) && at >= axis.low_ && at <= axis.high_)
        axis.ticks_.push_back({std::pow(10, at), label_of(digit, decade), digit == 1});
    }
  }
  return axis;
}

Axis Axis::percent(double least, double most) {
  const double from = least < 0.4 ? 0 : least;
  const int step = most - from > 0.5 ? 20 : most - from > 0.2 ? 10 : 5;
  const int high = std::min(100, step * static_cast<int>(std::ceil(100 * most / step - 1e-9)));
  const int low = std::max(0, std::min(step * static_cast<int>(std::floor(100 * from / step + 1e-9)), high - 2 * step));
  Axis axis(low / 100.0, std::max(high, low + 2 * step) / 100.0);
  for (int percent = low; percent <= 100 * axis.high_ + 1e-9; percent += step)
    axis.ticks_.push_back({percent / 100.0, fmt::format("{}%", percent)});
  return axis;
}

Axis Axis::counting(double least, double most) {
  Axis axis = bare(least, most);
  double step = 1;
  for (int i = 0; (most - least) / step > 6; ++i) step *= i % 3 == 1 ? 2.5 : 2;  // 1, 2, 5, 10, …
  for (double value = step * std::ceil(least / step); value <= most; value += step)
    axis.ticks_.push_back({value, fmt::format("{}", value)});
  return axis;
}

Axis Axis::bare(double least, double most) {
  const double margin = most > least ? 0.04 * (most - least) : 1;
  return {least - margin, most + margin};
}

double Axis::position(double value) const {
  return ((logarithmic_ ? std::log10(value) : value) - low_) / (high_ - low_);
}

double Axis::value_at(double position) const {
  const double at = low_ + position * (high_ - low_);
  return logarithmic_ ? std::pow(10, at) : at;
}

}  // namespace dppl
