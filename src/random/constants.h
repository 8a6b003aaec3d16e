#pragma once

#include <cstddef>

// How lazy sampling asks. None of it changes what is drawn, or with which probability.
namespace dppl {

// Before the first weighing no more than so many bounds are asked for at once.
inline constexpr size_t kFirstLargest = 64;
// Before so many bounds are asked for at once they are tightened, where more than twice as many candidates are near.
inline constexpr size_t kTightenAt = 256;
// Proposals that are evaluated together at first, then twice as many, and so on.
inline constexpr size_t kFirstProposals = 16;
// A round goes on where at least so many of its proposals would be accepted on average; otherwise more values are asked
// for first. Not one: a value takes up to ten times as long as a proposal.
inline constexpr double kLeastHope = 1.0 / 16;

}  // namespace dppl
