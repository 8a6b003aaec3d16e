#pragma once

#include <cstddef>

// What estimates depend on, each with its reason; measured in docs/accuracy.md.
namespace dppl {

// ---- Class means (pool_posterior.h)

// Of the pool; more of either brought nothing on six data sets.
inline constexpr size_t kAtoms = 1024, kNeighbours = 10, kAtomRows = kAtoms * kNeighbours;
// The grid of strengths: from a record or two to a class of many thousands, each 1.5 times the one before. A finer grid
// changes nothing that a sum could tell.
inline constexpr double kWeakest = 0.9, kStrengthStep = 1.5;
inline constexpr size_t kStrengths = 22;
// What the weights of the kinds are worth before any class has spoken: this many classes for each kind. After so many
// rounds they stand still.
inline constexpr double kPriorClasses = 2;
inline constexpr int kWeightRounds = 25;

// ---- Gradient steps (refinement.h)

// A prototype's score with a row lies between −1 and 1; a classifier that is right as often as it is sure needs more.
inline constexpr double kStartLength = 15;
// Times the number of classes, over the sum of their strengths: a step that converges with this momentum.
inline constexpr double kLongestStep = 15, kMomentum = 0.8;
// Weights stay in this range, and scores finite.
inline constexpr double kLargestWeight = 4096;

// ---- Confidence (confidence.h)

// Made records, and their scores, of all classes together: enough to know the factor to a few hundredths.
inline constexpr size_t kMadeRecords = size_t{1} << 14, kMadeScores = size_t{1} << 24;
// Where to look for the factor, and how closely.
inline constexpr double kLeastConfidence = 1.0 / 64, kConfidenceStep = 1.01;

}  // namespace dppl
