#pragma once

#include <cstdint>

// Which versions of ONNX are read and written, and how much of it.
namespace dppl::onnx {

// Operators of graphs that are ours from end to end, and the version of the file that came with them at the end of
// 2020. Everything that runs models since then knows them, ONNX 1.12's checker too.
inline constexpr int64_t kOpset = 13, kFileVersion = 7;
// Operators of encoders: before the oldest they did not broadcast as they do since; the newest are those with which
// this was tried.
inline constexpr int64_t kOldestOpset = 7, kNewestOpset = 21;
// From here on there are the operators that resizing to any size needs (Range).
inline constexpr int64_t kResizingOpset = 11;
// Loops in branches in loops …: more than anybody writes.
inline constexpr int kDeepest = 32;

}  // namespace dppl::onnx

namespace dppl {

// Requests that Triton may put together into one run.
inline constexpr int kLargestBatch = 256;

}  // namespace dppl
