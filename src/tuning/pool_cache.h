#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "estimation/pool_posterior.h"
#include "rows/quantised_rows.h"

namespace dppl {

// What fits on one pool have in common, each computed once, with all threads. Safe from any thread. Nothing in it is
// private.
class PoolCache {
 public:
  PoolCache(PublicData pool, unsigned threads) : pool_(std::move(pool)), threads_(threads) {}

  const PublicData& rows() const { return pool_; }
  unsigned threads() const { return threads_; }

  PublicTransform transform(const TransformSpec& spec);
  std::shared_ptr<const PoolPrior> prior(const PublicTransform& transform);
  // Its rows after the transform, as selection compares them. Copies share the memory.
  QuantisedRows quantised(const PublicTransform& transform);
  // Of the cosines of pairs of public rows after the transform, those at these shares, from the smallest on.
  std::vector<double> similarities(const TransformSpec& spec, std::span<const double> shares);
  // What this thread has spent in here, waiting for others included; to be set to 0 by who wants to know.
  static double& seconds();

 private:
  template <typename T>
  using Known = std::map<std::string, std::shared_ptr<T>>;

  PublicData pool_;
  unsigned threads_;
  std::mutex transforms_mutex_, priors_mutex_, quantised_mutex_, cosines_mutex_;
  Known<const PublicTransform> transforms_;
  Known<const PoolPrior> priors_;
  Known<const QuantisedRows> quantised_;
  Known<const std::vector<float>> cosines_;  // sorted
};

}  // namespace dppl
