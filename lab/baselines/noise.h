#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>

#include "random/simulation.h"

// The Gaussian mechanism as a simulation: real-valued noise, and a count of what it would have cost.
namespace dppl {

// Adds noise of standard deviation sigma to each value; nothing is drawn for 0.
void add_noise(std::span<double> values, double sigma, Random& random);
// The same for a symmetric matrix: one draw for each pair of mirrored entries.
void add_symmetric_noise(Eigen::MatrixXd& matrix, double sigma, Random& random);

// What a run may spend and has spent. Without a budget there is no noise and no cost.
class Account {
 public:
  explicit Account(std::optional<double> rho) : rho_(rho) {}

  // Pays `share` of the budget for one release that a record moves by at most `sensitivity` in 2-norm, and returns its
  // noise: sensitivity²/(2σ²) = share·ρ (Bun & Steinke 2016, Proposition 1.6).
  double gaussian(double share, double sensitivity);
  // The same for one choice by the exponential mechanism with a monotone utility of sensitivity 1: ε-DP with a range
  // bounded by ε is ε²/8-zCDP (Cesar & Rogers 2021). Infinite without a budget.
  double exponential(double share);

  double spent() const;

 private:
  void pay(double share);

  std::optional<double> rho_;
  double share_ = 0;
};

}  // namespace dppl
