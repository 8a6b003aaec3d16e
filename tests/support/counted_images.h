#pragma once

#include "dppl/images.h"

namespace dppl::testing {

// `count` grey images of one size, each of a shade that tells its number.
class CountedImages final : public ImageSource {
 public:
  explicit CountedImages(size_t count, size_t side = 4) : count_(count), side_(side) {}

  size_t size() const override { return count_; }
  Image read(size_t i) const override {
    return {side_, side_, 1, std::vector<uint8_t>(side_ * side_, static_cast<uint8_t>(i))};
  }
  std::string name(size_t i) const override { return std::to_string(i); }
  std::optional<std::vector<int64_t>> labels() const override { return std::nullopt; }
  std::optional<ClassSet> classes() const override { return std::nullopt; }
  std::string fingerprint() const override { return "counted"; }

 private:
  size_t count_, side_;
};

}  // namespace dppl::testing
