#pragma once

// What the methods' choices depend on.
namespace dppl {

// Public examples count as records of their class that are always there. Together they say so many nats about the best
// candidate, which any class with more to say overrules.
inline constexpr double kNatsOfExamples = 8;
// They take memory; below ε = 0.0008 examples say less than that.
inline constexpr double kMostCopies = 10000;

// Records of which a choice takes as many directions as any data set would get: what it could ask of the pool is tried
// with them before anything is spent.
inline constexpr double kMostRecords = 1e15;

}  // namespace dppl
