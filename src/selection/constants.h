#pragma once

#include <cstddef>

// What the selection's speed was tuned by. None of these changes what is chosen, or with which probability.
namespace dppl {

// Bytes for the dot products of some classes with the whole pool, which one pass over the pool gives: enough for all
// classes in most fits, and little beside the pool itself.
inline constexpr size_t kDotMemory = size_t{64} << 20;
inline constexpr size_t kMostClassesTogether = 512;

// Pool rows that a thread takes at once: enough to be worth handing out, few enough that all threads end together.
inline constexpr size_t kRowBlock = 1024;
// Scores that a shard on another machine tells at once (8 MB).
inline constexpr size_t kScoresAtOnce = size_t{1} << 20;
// Candidates between two reports of progress.
inline constexpr size_t kProgressSlice = size_t{1} << 16;
// Multiply-adds that take some milliseconds; for fewer no thread is started.
inline constexpr size_t kWorthThreads = size_t{1} << 28;

// Of the records of a class, for tighter bounds. Measured on CIFAR-100: with fewer the bounds are looser, with more
// too, because the variance of a small cluster in its worst direction is nearly all of its variance.
inline constexpr size_t kClusters = 8;
// On average; with fewer, evaluating the records costs no more than tightening.
inline constexpr size_t kFewestInACluster = 8;
// Of k-means; the groups hardly move after that.
inline constexpr int kClusterRounds = 4;

// Records whose Gram matrix (1 MB) is made at once.
inline constexpr size_t kGramRecords = 512;

// A part of a panel of class columns that stays in the first-level cache (20 KB) while a block of rows, widened to 16
// bits, passes.
inline constexpr size_t kColumnSteps = 320, kColumnRows = 48;

// Candidates of a class that are worth a list: with more of them, 16-bit bounds of all candidates are the shorter way.
inline constexpr size_t kNearPart = 16;
// Rows (a third of a megabyte) that stay in the second-level cache while panels of bytes pass, each in the first.
inline constexpr size_t kHeadRows = 256;

}  // namespace dppl
