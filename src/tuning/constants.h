#pragma once

#include <cstddef>

// What choices in this room depend on.
namespace dppl {

// Fewer rows make no groups to tune on: with 1000, a proxy task of ten classes has a few dozen rows per class.
inline constexpr size_t kSmallestPoolToTune = 1000;

}  // namespace dppl
