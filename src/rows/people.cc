#include "rows/people.h"

#include <algorithm>
#include <numeric>

namespace dppl {

People::Sorted People::sort(std::span<const int64_t> ids, std::span<const int64_t> labels) {
  std::vector<size_t> order(ids.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(
      order, [&](size_t a, size_t b) { return std::tie(ids[a], labels[a], a) < std::tie(ids[b], labels[b], b); });
  std::vector<size_t> starts;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || ids[order[i]] != ids[order[i - 1]]) starts.push_back(i);
  }
  starts.push_back(order.size());
  return {std::move(order), People(std::move(starts))};
}

Digest People::digest(std::span<const int64_t> labels) const {
  DigestStream stream;
  stream.add(std::as_bytes(std::span(starts_)));
  stream.add(std::as_bytes(labels));
  return stream.finish();
}

std::vector<std::pair<size_t, size_t>> People::blocks(size_t records) const {
  std::vector<std::pair<size_t, size_t>> result;
  for (size_t first = 0; first < size();) {
    size_t last = first + 1;
    while (last < size() && end(last) - begin(first) <= records) ++last;
    result.emplace_back(first, last);
    first = last;
  }
  return result;
}

}  // namespace dppl
