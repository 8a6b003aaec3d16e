#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace dppl {

// ---- Limits of a plan: what is beyond them is a slip of the pen, and is refused before anything runs

inline constexpr uint64_t kMostRuns = 1'000'000;  // months of computing
inline constexpr uint64_t kMostSeeds = 10'000;
// Whole numbers of a plan are the same as doubles up to this.
inline constexpr uint64_t kLargestWholeNumber = uint64_t{1} << 53;
// Budgets of which the arithmetic still says something, ratios of classes, and settings of baselines.
inline constexpr double kSmallestRho = 1e-12, kLargestRho = 1e12;
inline constexpr double kLargestRatio = 1e9, kLargestSetting = 1e9;

// ---- Runs

// Between looks at what other processes finish, when there is nothing else to do. A look costs a few system calls.
inline constexpr std::chrono::milliseconds kOthersAreWorking{100};

// ---- Figures

// Points of a map, and series of a figure; more would hide each other.
inline constexpr size_t kMostPoints = 2000, kMostSeries = 12;
// Tables of the page that are unfolded at first, and failures that are listed.
inline constexpr size_t kOpenTables = 2, kMostFailures = 50;

// ---- Baselines

// Costs are accounted for rows in the unit ball; float rows may stick out by their rounding.
inline constexpr double kLongestRow = 1 + 1e-4;
// Logistic regression ends at this part of the gradient's first length; of its last steps so many are remembered.
inline constexpr double kGradientTolerance = 1e-4;
inline constexpr size_t kRememberedSteps = 10;
// Rows that are summed together, and partial sums that wait to be added in order.
inline constexpr size_t kSummedRows = 1024, kWaitingSums = 16;
// Rows whose products with all others, all training rows or all candidates are made at once.
inline constexpr size_t kComparedRows = 256, kVotingRows = 128, kScoredRows = 64;

}  // namespace dppl
