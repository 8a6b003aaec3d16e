#pragma once

#include <cstddef>

namespace dppl {

// A record's gradient is clipped to this length: half of the longest, because the noise is in proportion to it.
inline constexpr double kGradientClip = 0.5;

// ---- What is summed together; a sum of integers is the same for any of them

// Records whose rows are transformed together.
inline constexpr size_t kRecordBlock = 256;
// Rows whose second moment a thread sums before it adds them to the others'.
inline constexpr size_t kMomentRows = 4096;
// Candidates that stay in the second-level cache while the panels of records pass; a panel stays in the first level
// meanwhile.
inline constexpr size_t kCandidateBlock = 256;

}  // namespace dppl
