#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dppl/privacy.h"

namespace dppl {

// Plays a mechanism many times on two neighbouring inputs that are hard to hide, and bounds its ε from below by what
// can be told apart. A bound above the claim is a proof (at the stated confidence) that the claim is wrong; a bound
// below it proves nothing.
struct AuditOptions {
  uint64_t trials = 200000;    // on each of the two inputs; half choose the event, half bound it
  double confidence = 0.9999;  // that lower_bound is a true lower bound, for each mechanism
  std::string mechanism;       // one name of audit_names(); empty: all
  bool planted = false;        // adds mechanisms that are broken on purpose and must be found out
  unsigned threads = 2;
  std::function<void(const std::string& name)> progress;
};

struct AuditResult {
  std::string name;
  std::string neighbours;  // what was played, in words
  bool planted = false;
  Rational claim;  // ε, at delta
  Rational delta;  // 0 for pure claims
  double lower_bound = 0;
  uint64_t trials = 0;

  bool refuted() const { return lower_bound > claim.get_d(); }
};

std::vector<std::string> audit_names();
std::vector<AuditResult> audit(const AuditOptions& options);

}  // namespace dppl
