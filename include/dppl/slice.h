#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dppl {

// One of `count` parts of a list, for work that several processes or machines share: contiguous, in order, and together
// all of it.
struct Slice {
  size_t number = 1, count = 1;  // from 1 to count

  // "3/8". Throws InvalidInput for anything else than two whole numbers, of which the first is from 1 to the second.
  static Slice parse(std::string_view text);
  std::string to_string() const;
  bool is_whole() const { return count == 1; }

  struct Range {
    size_t begin = 0, end = 0;
    size_t size() const { return end - begin; }
    friend bool operator==(const Range&, const Range&) = default;
  };
  // Its part of a list of `size` items, cut at multiples of `unit` and as evenly as these allow. Throws InvalidInput,
  // with the most parts that are possible, where it would be empty; `items` is the word for what the list holds.
  Range of(size_t size, size_t unit, std::string_view items) const;
};

}  // namespace dppl
