#pragma once

#include <cstddef>

#include "dppl/rational.h"

// What the choices of `auto` depend on, each with its reason; measured in docs/accuracy.md.
namespace dppl {

// A fit in K directions has noise in each of them. K = 3·√(n·√(2ρ)), n the number of records: the total signal against
// the noise, n/σ, has to be shared by K directions and is needed K-fold where a direction is to be told from its noise.
// Between 2.5 and 4 nothing changes by more than the error on sixteen tasks.
inline constexpr double kDirectionsFactor = 3;
// Beyond 256, time grows and accuracy does not; below 16, classes fall on each other.
inline constexpr size_t kLeastDirections = 16, kMostDirections = 256;
// Public examples tell so many apart without noise; more where there are more of them.
inline constexpr size_t kLeastDirectionsForExamples = 128;
// Half of the way to whitening: leading directions hold more of the signal than of the differences within classes.
inline constexpr double kEigenPower = 0.2;

// Shares of the budget: the centre is one vector and needs little.
inline const Rational kCenterShare{1, 20};
// Gradient steps get s/(s + 64) of the rest, s times its noise being how long the sum of a class of median size would
// be: before they can tell where borders are, sums have to tell where classes are. A share below a tenth is left to the
// sums. The noise of all steps is 0.8·√share of the start's length, so that a step is as long as its share.
inline constexpr double kClassSignalForSteps = 64, kLeastStepsShare = 0.1;
inline constexpr double kNoiseOfSteps = 0.8;
// 100 reach the same.
inline constexpr unsigned kSteps = 30;

// Selection (pure budgets): the space, and the clip range between these quantiles of the similarity of public rows.
// Below the lower one a record says nothing about a candidate; above the upper one they are as good as the same.
inline constexpr size_t kSelectionDirections = 64;
inline constexpr double kClipQuantiles[] = {0.9, 0.999};
// Rows of a set. A set of K among N rows is one of C(N, K): the smallest class must have more nats to say than the
// logarithm of that.
inline constexpr size_t kSetSize = 5;

// Fewer rows say little about where class means lie.
inline constexpr size_t kSmallestPool = 200;

}  // namespace dppl
