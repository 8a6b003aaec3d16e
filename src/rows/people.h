#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/digest.h"

namespace dppl {

// Which records are of one person. They lie side by side, and those of one class too (PrivateData puts them so), so
// that nothing that is computed of a person depends on where the records were in the file. As private as the records.
class People {
 public:
  // `starts`: the first record of each person, and behind the last one the number of records.
  explicit People(std::vector<size_t> starts) : starts_(std::move(starts)) {}

  // How to put records in order, and who they are then of: `order[i]` is the record that becomes the i-th.
  struct Sorted;
  static Sorted sort(std::span<const int64_t> ids, std::span<const int64_t> labels);

  size_t size() const { return starts_.size() - 1; }
  size_t begin(size_t person) const { return starts_[person]; }
  size_t end(size_t person) const { return starts_[person + 1]; }
  size_t records(size_t person) const { return end(person) - begin(person); }

  // Of who has which records and of these labels: what was computed for them can be told from what was not.
  Digest digest(std::span<const int64_t> labels) const;

  // Runs of whole people with about `records` records each, or one person with more: first person, and the one behind
  // the last.
  std::vector<std::pair<size_t, size_t>> blocks(size_t records) const;

 private:
  std::vector<size_t> starts_;
};

struct People::Sorted {
  std::vector<size_t> order;
  People people;
};

// The records of one person in each of their classes: calls visit(label, begin, end).
template <typename Visit>
void each_class_of(std::span<const int64_t> labels, size_t begin, size_t end, const Visit& visit) {
  for (size_t i = begin; i < end;) {
    size_t next = i + 1;
    while (next < end && labels[next] == labels[i]) ++next;
    visit(labels[i], i, next);
    i = next;
  }
}

}  // namespace dppl
