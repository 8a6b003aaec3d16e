#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

// What the server's memory and patience depend on. Limits that an operator may want to change are ServerLimits
// (include/dppl/serving.h).
namespace dppl::serving {

// A read's size while a body arrives.
inline constexpr size_t kReadBytes = size_t{64} << 10;
// Bodies up to this size get their memory at once, while half of what there is for requests is free, and leave it to
// the next ones.
inline constexpr size_t kPooledBytes = size_t{2} << 20, kPooledBuffers = 24;
// What a waiting connection keeps for its next header.
inline constexpr size_t kIdleBytes = size_t{4} << 10;
// How long a client may go on sending what is not read any more. Closing at once would reset the connection, and the
// client might never see why it was refused.
inline constexpr std::chrono::seconds kLinger{2};
// Connections that the system holds until they are accepted.
inline constexpr int kBacklog = 4096;
// Connections beyond the limit that are told so; beyond these, connections are closed without a word.
inline constexpr int64_t kToldBeyondLimit = 64;
// After an accept that failed, such as for want of descriptors.
inline constexpr std::chrono::milliseconds kAcceptPause{50};

// What the network's threads parse themselves: it takes them less time than to hand it over, or not much more.
inline constexpr size_t kSmallText = size_t{4} << 10, kSmallBody = size_t{1} << 20;
// What an answer takes for each byte of its tensors: the tensors, and their text.
inline constexpr size_t kAnswerFactor = 4;
// Values and containers beside an input's data, and how deep they may stand in each other. A request has some twenty.
inline constexpr size_t kMaxOthers = 1000, kMaxDepth = 16;
// Batches of images that may wait. An image of an EfficientNet takes some 20 ms: whoever came last would wait for
// seconds.
inline constexpr size_t kWaitingBatches = 16;
// Classes that an answer about an image names, where it is not asked for another number.
inline constexpr size_t kDefaultTop = 5;
// Of a page's files together, which are kept in memory.
inline constexpr size_t kMaxSiteBytes = size_t{1} << 30;
// Bytes of a client's text that an error repeats.
inline constexpr size_t kMostRepeated = 64;

}  // namespace dppl::serving
