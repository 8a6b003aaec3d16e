#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dppl/rational.h"

namespace dppl {

// Which data sets count as neighbours. A record is one labelled embedding.
enum class Relation {
  add_remove,         // one record more or less, so class counts are private up to one record; the default
  replace_in_class,   // one record becomes another of the same class; class counts are public
  add_remove_person,  // all records of one person more or less, in whatever classes they are
};
std::string_view to_string(Relation relation);
Relation parse_relation(std::string_view text);

// Whose records a relation adds or removes at once: "record" or "person".
std::string_view unit_of(Relation relation);
Relation parse_unit(std::string_view text);

// How far one step of a relation moves an exact integer sum over records, in 2-norm: what its noise is calibrated for.
// Stated by the statistic, beside the proof, and taken by the mechanism.
struct NormBound {
  int64_t squared = 1;
  Relation relation = Relation::add_remove;

  // Every record, or all records of a person together, adds a vector of 2-norm at most `radius`.
  static NormBound added(int64_t radius, Relation relation = Relation::add_remove) {
    return {radius * radius, relation};
  }
};

// What a release costs, in every notion in which a bound is known. Numbers are exact rationals; where a conversion is a
// real number, it is rounded to the safe side. Empty means: no bound in this notion.
struct Guarantee {
  Relation relation = Relation::add_remove;
  // False when any draw came from a seeded source: then nothing below protects anybody.
  bool is_private = true;

  std::optional<Rational> epsilon;  // pure ε-DP
  std::optional<Rational>
      bounded_range;            // log-ratios span at most this width (exponential mechanism); lost in composition
  std::optional<Rational> rho;  // ρ-zCDP
  std::optional<Rational> mu_squared;  // μ-GDP
  struct Approximate {
    Rational epsilon, delta;
    friend bool operator==(const Approximate&, const Approximate&) = default;
  };
  std::optional<Approximate> approximate;  // (ε, δ)-DP stated as such; others are derived by epsilon_at()

  // Each sets what the notion implies directly: pure ε → ε²/2-zCDP; bounded range ε → ε-DP and ε²/8-zCDP;
  // μ-GDP → μ²/2-zCDP.
  static Guarantee pure(const Rational& epsilon, Relation relation = Relation::add_remove);
  static Guarantee of_bounded_range(const Rational& epsilon, Relation relation = Relation::add_remove);
  static Guarantee zcdp(const Rational& rho, Relation relation = Relation::add_remove);
  static Guarantee gdp(const Rational& mu, Relation relation = Relation::add_remove);
  static Guarantee approximate_dp(const Rational& epsilon, const Rational& delta,
                                  Relation relation = Relation::add_remove);

  // The smallest known ε such that (ε, δ)-DP holds; empty when no route leads there.
  std::optional<Rational> epsilon_at(const Rational& delta) const;
  // The smallest known δ such that (ε, δ)-DP holds.
  std::optional<Rational> delta_at(const Rational& epsilon) const;
  // An upper bound on μ such that μ-GDP holds.
  std::optional<Rational> mu() const;
  // An upper bound on the Rényi divergence of order alpha > 1.
  std::optional<Rational> rdp_at(const Rational& alpha) const;

  // The price when one record is replaced by another (two add/remove steps): 2ε, 4ρ, 2μ. Only for add_remove; the
  // result says replace_in_class, of which replacing any record is the stricter form.
  Guarantee replace_one() const;
  // What it means for a person with so many records: gε, g²ρ, gμ. Only for add_remove; the result says
  // add_remove_person.
  Guarantee for_person_with(unsigned records) const;

  friend bool operator==(const Guarantee&, const Guarantee&) = default;
};

// Both releases on the same records: ε's, ρ's, μ²'s and (ε, δ)'s add; a pure ε stands in where a part states no μ or no
// (ε, δ). Throws InvalidInput when relations differ.
Guarantee compose(const Guarantee& a, const Guarantee& b);
Guarantee compose(const Guarantee& a, unsigned times);
// Releases on disjoint sets of records (one per class), or parts of one release whose bound holds for all parts
// together: the worst part counts.
Guarantee compose_disjoint(const Guarantee& a, const Guarantee& b);

// ---- Conversions. Every result is a certified bound on the safe side (costs up, calibrated parameters down).

Rational pure_to_zcdp(const Rational& epsilon);
Rational bounded_range_to_zcdp(const Rational& epsilon);
// zCDP → (ε, δ): the best Rényi order (Canonne, Kamath & Steinke 2020), never worse than ρ + 2√(ρ ln 1/δ).
Rational zcdp_to_epsilon(const Rational& rho, const Rational& delta);
Rational zcdp_to_delta(const Rational& rho, const Rational& epsilon);
// GDP → (ε, δ): exact (Balle & Wang 2018).
Rational gdp_to_delta(const Rational& mu_squared, const Rational& epsilon);
Rational gdp_to_epsilon(const Rational& mu_squared, const Rational& delta);
// Pure ε → μ-GDP, tight: μ = 2Φ⁻¹(e^ε/(1+e^ε)).
Rational pure_to_gdp(const Rational& epsilon);
// Pure (or bounded-range) ε₀ → (ε, δ) for ε < ε₀: tight.
Rational pure_to_delta(const Rational& epsilon0, const Rational& epsilon);
Rational pure_to_epsilon(const Rational& epsilon0, const Rational& delta);
Rational bounded_range_to_delta(const Rational& epsilon0, const Rational& epsilon);
Rational bounded_range_to_epsilon(const Rational& epsilon0, const Rational& delta);
// Pure ε → the Rényi divergence of order α > 1: tight, never above ε.
Rational pure_to_rdp(const Rational& epsilon, const Rational& alpha);

// ---- Calibration: the largest parameter whose guarantee stays within the target; each checks that the target is met.

Rational bounded_range_for_zcdp(const Rational& rho);  // √(8ρ)
Rational pure_for_zcdp(const Rational& rho);           // √(2ρ)
Rational zcdp_for_approximate(const Rational& epsilon, const Rational& delta);
Rational gdp_for_approximate(const Rational& epsilon, const Rational& delta);  // μ
Rational pure_for_approximate(const Rational& epsilon, const Rational& delta);
Rational bounded_range_for_approximate(const Rational& epsilon, const Rational& delta);
Rational pure_for_gdp(const Rational& mu);
// The smallest noise variance (a multiple of 2^-20, and an integer from 2^40 on) whose discrete Gaussian is ρ-zCDP for
// integer vectors that move by a 2-norm of at most √norm_squared.
Rational gaussian_variance(const Rational& norm_squared, const Rational& rho);

}  // namespace dppl
