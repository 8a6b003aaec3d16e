#pragma once

#include <cstddef>

namespace dppl {

// Rows that are classified together: their scores and, at 1,280 dimensions, the rows fit a second-level cache about.
// The order of additions in a library's product may depend on where a block begins and ends, so there is one partition
// for all.
inline constexpr size_t kRowsTogether = 512;

// ---- How much a description says

// Of a list, such as the names of classes; more would be a page.
inline constexpr size_t kNamesShown = 6;
// Of a cost, rounded up; of a factor e^ε, which is told up to this ε: a larger one compares with nothing.
inline constexpr int kCostDigits = 6, kFactorDigits = 4, kLargestTold = 20;
// Of a person, in the example of what several records cost.
inline constexpr unsigned kExampleRecords = 5;

// Of a number in a file: more is never written.
inline constexpr size_t kLongestRational = 10'000;

}  // namespace dppl
