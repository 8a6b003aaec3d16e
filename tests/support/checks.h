#pragma once

#include "dppl/mechanisms.h"
#include "support/selection_laws.h"

// The properties that the guarantee rests on, as checks that return whether they hold. The tests apply them to the
// library and expect true; tests/planted_bugs_test.cc applies the same checks to broken code and expects false.
namespace dppl::testing {

// n = 300,000, α = 1e-6: three equal parts of a range just above a power of two are equally likely.
bool uniform_is_unbiased(const std::function<uint64_t(uint64_t below)>& draw);

// n = 200,000, α = 1e-6: the last three binary digits of wide noise (σ = 2^35) are uniform.
bool low_digits_are_random(const std::function<int64_t()>& draw);

// n = 200,000, α = 1e-6: integers have the law of discrete Gaussian noise around `centre`; σ 10% off is seen with power
// > 0.999.
bool is_discrete_gaussian(const std::function<int64_t()>& draw, double sigma, int64_t centre);

// n = 200,000, α = 1e-6: two draws made together are independent (chi-square on the table of their signs and sizes).
bool is_independent(const std::function<std::pair<int64_t, int64_t>()>& draw);

// n = 100,000 for each of a few score vectors, α = 1e-6 together: the mechanism's output has this law.
using Selector = std::function<size_t(const Scores&, const Rational& epsilon, int64_t per_record)>;
bool has_law(const Selector& select, const Law& law, size_t candidates);

// No output's log-probability moves by more than ε between any of 300 random score vectors of 5 candidates (ties and
// wide gaps included) and any of their 3^5 neighbours at per_record = 2, for ε from 0.1 to 2.
bool law_is_private(const Law& law);

}  // namespace dppl::testing
