#include "dppl/slice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/whole_number.h"
#include "dppl/error.h"
#include "rows/constants.h"

namespace dppl {

Slice Slice::parse(std::string_view text) {
  const size_t slash = std::min(text.find('/'), text.size());
  const auto number = whole_number(text.substr(0, slash));
  const auto count = whole_number(text.substr(std::min(slash + 1, text.size())));
  if (!number || !count || *number < 1 || *number > *count || *count > kMostParts) {
    throw InvalidInput(
        fmt::format("shard '{}': give i/N, the i-th of N parts, with i from 1 to N; e.g. 3/8", text.substr(0, 60)));
  }
  return {*number, *count};
}

std::string Slice::to_string() const { return fmt::format("{}/{}", number, count); }

Slice::Range Slice::of(size_t size, size_t unit, std::string_view items) const {
  const size_t units = (size + unit - 1) / unit;
  if (count > units) {
    throw InvalidInput(fmt::format("shard {}: {} {}{} make at most {} parts", to_string(), size, items,
                                   unit > 1 ? fmt::format(", cut at multiples of {},", unit) : "", units));
  }
  const auto edge = [&](size_t part) { return std::min(part * units / count * unit, size); };
  return {edge(number - 1), edge(number)};
}

}  // namespace dppl
