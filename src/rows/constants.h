#pragma once

#include <cstddef>
#include <cstdint>

namespace dppl {

// Values of a row, in files of embeddings and in models. Encoders give a few thousand; a file may claim any number, and
// its readers allocate this much. The quantiser's proof takes fewer than 2^20 (integer_row.h).
inline constexpr uint64_t kMaxDim = 1'000'000;
static_assert(kMaxDim < (1 << 20));

// Parts of a slice: far above any number of machines, and far below what the products of range() can hold.
inline constexpr size_t kMostParts = 1'000'000'000;

// Rows of a pool that its mean and directions are computed of. They tell the variance of a direction to 1.1%,
// √(2/16384); three times as many classify CIFAR-100 no better, and take three times as long.
inline constexpr size_t kSampleRows = 16384;
// They are summed over blocks of this many rows, in the order of the blocks: the same bits with any number of threads.
inline constexpr size_t kSpectrumRows = 256;
// The sample of a large pool is copied, so that its files are walked over once; but not more than this. Read ahead are
// so many rows.
inline constexpr size_t kMostCopied = size_t{1} << 30, kRowsAhead = 64;
// Of the largest variance: below it there is nothing but the rounding of float32.
inline constexpr double kLeastVariance = 1e-10;

// Input of a pool that is read, checked, digested and quantised at a time, and the rows that it is at least and a
// multiple of: whole leaves of any pool.
inline constexpr size_t kBytesAtOnce = size_t{8} << 20, kRowsAtOnce = 4096;
// Values of a pool file that a thread checks at a time: large enough for the disk, small enough to stay in a cache
// between the digest and the checks of rows.
inline constexpr size_t kValuesAtOnce = size_t{1} << 20;
// Bytes of rows that a thread checks at a time, after which their pages can be given back.
inline constexpr size_t kCheckedBytes = size_t{4} << 20;
// Rows that are digested before their pages are given back.
inline constexpr size_t kDigestedRows = 4096;

}  // namespace dppl
