#pragma once

#include <cstdint>
#include <vector>

#include "rows/quantised_rows.h"

namespace dppl {

// The rows in at most `count` groups of similar ones, none of them empty, every row in one: a few rounds of k-means by
// cosine from evenly spaced rows. How good the groups are matters for speed alone.
std::vector<std::vector<uint32_t>> cluster(const QuantisedRows& rows, size_t count);

}  // namespace dppl
