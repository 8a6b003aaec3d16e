#include <cmath>
#include <functional>

#include "audit/constants.h"
#include "audit/sensitivity.h"
#include "ledger/privacy_filter.h"

namespace dppl {
namespace {

// What is spent against what was counted, for amounts that a double takes for 0.
AuditResult spends(const std::string& name, bool planted,
                   const std::function<Rational(const Rational& cost)>& counted) {
  const Rational tiny = Rational(1) / Rational(mpz_class(1) << 1100);
  constexpr unsigned kTimes = 3;
  const Rational sum = counted(tiny);
  AuditResult row;
  row.name = name;
  row.neighbours = "ρ = 2^-1100, three times";
  row.planted = planted;
  row.measure = AuditMeasure::norm;
  row.claim = 1;
  row.reach = kReach;
  row.trials = 1;
  row.lower_bound = sum > 0 ? Rational(kTimes * tiny / sum).get_d() : INFINITY;
  return row;
}

}  // namespace

AuditResult audit_spends() {
  return spends("exact spends", false, [](const Rational& cost) {
    PrivacyFilter filter("audit", BudgetSpec::zcdp(1));
    for (int i = 0; i < 3; ++i) filter.charge(BudgetSpec::zcdp(cost), Guarantee::zcdp(cost));
    return filter.balance().spent.value;
  });
}

AuditResult planted_spends() {
  return spends("planted: a spend below the smallest double", true, [](const Rational& cost) {
    double sum = 0;
    for (int i = 0; i < 3; ++i) sum += cost.get_d();
    return Rational(sum);
  });
}

}  // namespace dppl
