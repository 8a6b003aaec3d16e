#pragma once

#include <deque>
#include <memory>
#include <mutex>

#include "audit/neighbours.h"
#include "dppl/model.h"

namespace dppl {

// What a fit released, in order: its noisy sums as they came, and the model.
struct Transcript {
  struct Sum {
    std::string what;
    std::vector<int64_t> values;
    double variance;
  };
  std::vector<Sum> sums;
  Model model;
};

// How much more likely a transcript is on the second of two neighbouring data sets than on the first: the logarithm of
// the ratio, from the exact statistics of both. What was released before decides what is released next (the settings
// after noisy sizes, the point at which a gradient is taken), so that these are computed again from the transcript,
// as an adversary would. Safe from any thread.
class Likelihood {
 public:
  Likelihood(const Neighbours& neighbours, const PublicData& pool, const BudgetSpec& budget);
  ~Likelihood();

  double log_ratio(const Transcript& transcript) const;

 private:
  struct World;  // what does not depend on released values, of both data sets, under one choice of settings
  struct Exact;
  const World& world_of(const Model& model) const;
  std::shared_ptr<const Exact> exact_of(const MeanSettings& settings, const PublicTransform& transform,
                                        std::span<const double> sizes = {}) const;
  double centre_ratio(const Transcript& transcript, const Transcript::Sum& centre, const World& world) const;
  double gradients_ratio(const Transcript& transcript, const World& world, const Exact& exact) const;

  const PublicData& pool_;
  BudgetSpec budget_;
  size_t classes_;
  PrivateData data_[2];
  mutable std::mutex mutex_;
  mutable std::deque<World> worlds_;
};

// Σ over the coordinates of the logarithm of N(y; after, variance)/N(y; before, variance).
double gaussian_log_ratio(std::span<const int64_t> released, std::span<const int64_t> before,
                          std::span<const int64_t> after, double variance);

}  // namespace dppl
