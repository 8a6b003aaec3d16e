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
// Where nothing is noisy, as many as a handful of examples per class can use.
inline constexpr size_t kPublicOnlyDirections = 128;
// Half of the way to whitening: leading directions hold more of the signal than of the differences within classes.
inline constexpr double kEigenPower = 0.2;

// Shares of the budget: the centre is one vector and needs little.
inline const Rational kCenterShare{1, 20};
// Gradient steps get from a quarter, where the sums themselves are hardly known, to a half, where there is signal for
// 128 directions and a class is 50 times as long as the noise, and may bring 0.4 to 0.6 of the start's length in noise.
// Of nine pairs none was better on ten tasks; 100 steps reach the same as 30.
inline const Rational kLeastStepsShare{1, 4}, kMostStepsShare{1, 2};
inline constexpr long kDirectionsForSteps = 128, kClassSignalForSteps = 50;
inline constexpr unsigned kSteps = 30;

// Selection (pure budgets): the space, and the clip range between these quantiles of the similarity of public rows.
// Below the lower one a record says nothing about a candidate; above the upper one they are as good as the same.
inline constexpr size_t kSelectionDirections = 64;
inline constexpr double kClipQuantiles[] = {0.9, 0.999};
// A set of five among a hundred thousand rows is one of e^53: the smallest class must have more to say than that.
inline constexpr size_t kSetSize = 5;
inline constexpr double kNatsForASet = 53;

// Fewer rows say little about where class means lie.
inline constexpr size_t kSmallestPool = 200;

}  // namespace dppl
