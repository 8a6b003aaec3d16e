#pragma once

#include <string>
#include <vector>

#include "dppl/embeddings.h"
#include "dppl/privacy.h"

namespace dppl {

// Two data sets that differ by one record, the last of the second, or by all records of its person; all else is public.
struct Neighbours {
  std::string words;
  size_t dim = 0, classes = 0;
  std::vector<float> values;         // of the second data set
  std::vector<int64_t> labels;       // likewise
  std::vector<int64_t> people = {};  // likewise; empty: privacy is for records
  size_t joining = 1;                // records that the first data set does not have

  Relation relation() const { return people.empty() ? Relation::add_remove : Relation::add_remove_person; }

  std::span<const float> record() const { return std::span(values).last(dim); }
  PrivateData data(int world) const;
};

// Worst cases: the record of class 0 points along the first axis, at the rim of what clipping lets through, and class 0
// holds so many records besides; class 1 holds some, class 2 none.
Neighbours at_the_rim(size_t others_of_class);
// The first record of all joins an empty data set of one class: for selection, whose other classes cost time only.
Neighbours first_of_all();
// A record of class 0 where class 1 is dense: classified wrongly, so that its gradients are as long as they may be.
Neighbours among_others();
// Records and the one that is added anywhere.
Neighbours anywhere(uint64_t seed);

// The same for people.
// A person with three records at the rim, in two classes, joins; others have two records each.
Neighbours person_at_the_rim();
// The first person of all has two records, one in each of two classes.
Neighbours first_person_of_all();
// A person with three records of a small class, in the midst of a large one.
Neighbours person_among_others();

// Public rows around the axes, both ways, `each` a direction.
std::vector<float> rows_around_axes(size_t dim, size_t each, uint64_t seed);

}  // namespace dppl
