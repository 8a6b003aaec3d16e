#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

// Limits of a plan: what is beyond them is a slip of the pen, and is refused before anything runs.
namespace dppl {

inline constexpr uint64_t kMostRuns = 1'000'000;  // months of computing
inline constexpr uint64_t kMostSeeds = 10'000;
// Whole numbers of a plan are the same as doubles up to this.
inline constexpr uint64_t kLargestWholeNumber = uint64_t{1} << 53;
// Budgets of which the arithmetic still says something, and ratios of classes.
inline constexpr double kSmallestRho = 1e-12, kLargestRho = 1e12;
inline constexpr double kLargestRatio = 1e9;

// Between looks at what other processes finish, when there is nothing else to do. A look costs a few system calls.
inline constexpr std::chrono::milliseconds kOthersAreWorking{100};

// Of a map; more would hide each other.
inline constexpr size_t kMostPoints = 2000;

}  // namespace dppl
