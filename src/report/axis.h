#pragma once

#include <string>
#include <vector>

namespace dppl {

// A logarithmic axis of at least one decade around positive values.
class LogAxis {
 public:
  struct Tick {
    double value;
    std::string label;
  };

  LogAxis(double least, double most);

  double position(double value) const;  // 0 at the left end, 1 at the right
  const std::vector<Tick>& ticks() const { return ticks_; }

 private:
  double low_, high_;  // decimal logarithms
  std::vector<Tick> ticks_;
};

}  // namespace dppl
