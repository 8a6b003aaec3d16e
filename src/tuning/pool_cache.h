#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "estimation/pool_posterior.h"
#include "rows/quantised_rows.h"
#include "tuning/tuner.h"

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
  // What `choose` says, asked once per question.
  Settings chosen(const std::string& question, const std::function<Settings()>& choose);
  // One tuner for all budgets. Throws InvalidInput where the pool is too small or too uniform to tune on.
  std::shared_ptr<Tuner> tuner(TuneOptions options);
  // What this thread has spent in here, waiting for others included; to be set to 0 by who wants to know.
  static double& seconds();

 private:
  template <typename T>
  using Known = std::map<std::string, std::shared_ptr<T>>;

  PublicData pool_;
  unsigned threads_;
  std::mutex transforms_mutex_, priors_mutex_, quantised_mutex_, tuners_mutex_, choices_mutex_;
  Known<const PublicTransform> transforms_;
  Known<const PoolPrior> priors_;
  Known<const QuantisedRows> quantised_;
  Known<Tuner> tuners_;
  Known<const Settings> choices_;
};

}  // namespace dppl
