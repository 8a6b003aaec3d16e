#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dppl {

// The candidates' indices by falling score, the smaller index first where scores are equal: a strict total order.
// Preconditions: scores in [0, 2^62], fewer than 2^32 of them.
std::vector<uint32_t> rank_by_score(std::span<const int64_t> scores);

}  // namespace dppl
