#include "tuning/pool_cache.h"

#include <fmt/format.h>

#include <chrono>

namespace dppl {
namespace {

class Stopwatch {
 public:
  ~Stopwatch() { PoolMemory::seconds() += std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
};

std::string key_of(const TransformSpec& spec) { return fmt::format("{}/{}", spec.to_string(), spec.average_pool); }

// Of the tuner; the expected sizes are told when it tunes.
std::string key_of(const TuneOptions& options) {
  return fmt::format("{} {} {}", options.classes, options.method ? to_string(*options.method) : "auto",
                     options.transform ? key_of(*options.transform) : "auto");
}

// The value of that name; who comes while it is made waits for it.
template <typename T, typename Make>
std::shared_ptr<T> once(std::map<std::string, std::shared_ptr<T>>& known, const std::string& key, Make make) {
  std::shared_ptr<T>& value = known[key];
  if (!value) value = std::make_shared<T>(make());
  return value;
}

}  // namespace

double& PoolMemory::seconds() {
  thread_local double spent = 0;
  return spent;
}

PublicTransform PoolMemory::transform(const TransformSpec& spec) {
  const Stopwatch stopwatch;
  const std::lock_guard lock(transforms_mutex_);
  return *once(transforms_, key_of(spec),
               [&] { return PublicTransform::compute(spec, pool_.dim(), &pool_, threads_); });
}

std::shared_ptr<const PoolPrior> PoolMemory::prior(const PublicTransform& transform) {
  const Stopwatch stopwatch;
  const std::lock_guard lock(priors_mutex_);
  return once(priors_, key_of(transform.spec()), [&] { return PoolPrior::of(pool_, transform, threads_); });
}

std::shared_ptr<Tuner> PoolMemory::tuner(TuneOptions options) {
  const Stopwatch stopwatch;
  const std::lock_guard lock(tuners_mutex_);
  options.threads = threads_;
  return tuner_locked(options);
}

std::shared_ptr<Tuner> PoolMemory::tuner_locked(const TuneOptions& options) {
  return once(tuners_, key_of(options), [&] { return Tuner(pool_, options); });
}

Hyperparameters PoolMemory::choose(const BudgetSpec& budget, TuneOptions options) {
  const Stopwatch stopwatch;
  const std::lock_guard lock(tuners_mutex_);
  options.threads = threads_;
  const std::string key =
      fmt::format("{} {} {} {}", budget.describe(), options.records, options.ratio, key_of(options));
  return *once(choices_, key, [&] {
    return dppl::choose(pool_, budget, options,
                        [&](uint64_t records) { return tuner_locked(options)->tune(budget, records, options.ratio); });
  });
}

}  // namespace dppl
