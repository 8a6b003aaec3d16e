#pragma once

#include <cstdint>

#include "dppl/rational.h"

// What the audit's power depends on.
namespace dppl {

// The part of a claim that the worst neighbours must come near to, or they show nothing.
inline constexpr double kReach = 0.9;
// At which δ claims are looked at that are not of pure DP.
inline const Rational kAuditDelta{1, 100000};
// With fewer, nothing is bounded.
inline constexpr uint64_t kFewestTrials = 1000;
// Quantiles among which a duel looks for the event that tells most. Rare events tell most about ε: far into the tails.
// About μ every event tells the same, and the middle ones with the least error; a tail would be chosen by luck only.
inline constexpr int kThresholds = 128;
inline constexpr double kEpsilonStep = 0.12, kMuStep = 0.02;  // between them, of the logit

}  // namespace dppl
