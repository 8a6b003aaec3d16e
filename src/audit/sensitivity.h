#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dppl/audit.h"
#include "dppl/random.h"
#include "dppl/transform.h"

namespace dppl {

// A pool, a transform computed from it, records and one more: anything a file can hold that the readers let through.
struct SensitivityCase {
  size_t dim = 1, classes = 1;
  std::vector<float> pool, values;  // rows of dim
  std::vector<int64_t> labels;      // of the records
  // Whose records they are, with privacy for people: the last record's person is the one more. Empty: it is the last
  // record.
  std::vector<int64_t> people;
  TransformSpec transform;
  size_t place = 0;   // where it stands in the larger data set
  uint64_t seed = 0;  // for what else is public: clip ranges, the point of a gradient
};

// A case of bytes that are drawn: ordinary numbers, tiny and huge ones, rows that repeat, are constant or opposite.
SensitivityCase random_case(Random& random);
// The same with people, of whom one more has up to nine records in up to four classes.
SensitivityCase random_case_of_people(Random& random);

// How far the record, or the person, moved each statistic, in units of what its noise is made for: 1 is all that is
// allowed. Empty: pool, transform or records were refused, which costs nothing.
struct Moved {
  std::string statistic;
  double share;
};
std::optional<std::vector<Moved>> moved_by_one_more(const SensitivityCase& one);

// The largest share of each statistic over many cases; and mistakes of that kind, which must exceed 1.
std::vector<AuditResult> audit_sensitivity(uint64_t cases, unsigned threads);
std::vector<AuditResult> planted_sensitivities(uint64_t cases, unsigned threads);

// The same of the account: what was spent against what it counted.
AuditResult audit_spends();
AuditResult planted_spends();

}  // namespace dppl
