#pragma once

#include <string>
#include <vector>

namespace dppl {

// Where values stand between the ends of a plot, and which of them are named.
class Axis {
 public:
  struct Tick {
    double value;
    std::string label;
    bool major = true;  // to be kept where there is no room for all
  };

  static Axis logarithmic(double least, double most);  // at least one decade around positive values
  static Axis percent(double least, double most);      // around fractions; begins at 0 unless all are far from it
  static Axis counting(double least, double most);     // around whole numbers
  static Axis bare(double least, double most);         // without ticks

  double position(double value) const;  // 0 at the low end, 1 at the high one
  double value_at(double position) const;
  bool is_logarithmic() const { return logarithmic_; }
  const std::vector<Tick>& ticks() const { return ticks_; }

 private:
  Axis(double low, double high, bool logarithmic = false) : low_(low), high_(high), logarithmic_(logarithmic) {}

  double low_, high_;  // decimal logarithms where it is logarithmic
  bool logarithmic_;
  std::vector<Tick> ticks_;
};

}  // namespace dppl
