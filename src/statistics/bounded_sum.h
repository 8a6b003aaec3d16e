#pragma once

#include <cstdint>
#include <vector>

#include "dppl/privacy.h"
#include "rows/private_access.h"

namespace dppl {

// An exact integer sum over records and how far one step of the relation can move it. Private: noise is added by the
// mechanism that takes both.
struct BoundedSum {
  std::vector<int64_t> values;
  NormBound bound;
};

// What one step adds or removes: all records of a person, where it is known whose they are, or else a record.
inline Relation relation_of(const PrivateAccess& access) {
  return access.people() != nullptr ? Relation::add_remove_person : Relation::add_remove;
}

}  // namespace dppl
