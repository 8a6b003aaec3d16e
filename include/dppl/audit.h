#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dppl/privacy.h"

namespace dppl {

// What is bounded from below.
enum class AuditMeasure {
  epsilon,  // ε at delta
  mu,       // of μ-GDP: the exact trade-off between the two errors of a test, √(2ρ) for Gaussian noise of ρ-zCDP
  norm,     // how far one record moves an exact statistic, in units of what its noise was made for: no chance in it
};
std::string_view to_string(AuditMeasure measure);

// Simulates mechanisms, or whole fits, many times on two neighbouring inputs that are hard to hide, and bounds from
// below how well the two can be distinguished. A bound above the claim is a proof (at the stated confidence) that the
// claim is wrong; a bound below it proves nothing by itself, but one that comes near the claim on worst-case neighbours
// shows that the audit would have seen a claim that is wrong by a little.
struct AuditOptions {
  uint64_t trials = 200000;    // on each of the two inputs; half choose the event, half bound it
  double confidence = 0.9999;  // that lower_bound is a true lower bound, for each row
  std::string mechanism;       // one name of audit_names(); empty: all. Of single mechanisms
  bool planted = false;        // adds what is broken on purpose and must be found out
  // Whole fits, pools and transforms included, and the exact statistics of hundreds of crafted pools and records.
  bool end_to_end = false;
  uint64_t fits = 40000;  // on each of two data sets; with 40,000, a σ that is 10% too small is found (docs/audit.md)
  uint64_t cases = 600;   // of the exact part
  unsigned threads = 2;
  std::function<void(const std::string& name)> progress;
};

struct AuditResult {
  std::string name;
  std::string neighbours;  // what was simulated, in words
  bool planted = false;
  AuditMeasure measure = AuditMeasure::epsilon;
  Rational claim;  // in that measure
  Rational delta;  // ε at this δ; 0 for pure claims
  double lower_bound = 0;
  double reach = 0;  // the part of the claim that the bound must reach, or the audit says nothing
  uint64_t trials = 0;

  bool refuted() const { return lower_bound > claim.get_d(); }
  bool idle() const { return lower_bound < reach * claim.get_d(); }
};

std::vector<std::string> audit_names();
std::vector<AuditResult> audit(const AuditOptions& options);

}  // namespace dppl
