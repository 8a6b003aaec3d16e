#include "tuning/pool_cache.h"

#include <fmt/format.h>

#include <chrono>

#include "rows/class_rows.h"

namespace dppl {
namespace {

// Adds to PoolCache::seconds(); one inside of another adds nothing.
class Stopwatch {
 public:
  Stopwatch() { ++depth(); }
  ~Stopwatch() {
    if (--depth() == 0) PoolCache::seconds() += std::chrono::duration<double>(Clock::now() - begin_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static int& depth() {
    thread_local int value = 0;
    return value;
  }
  Clock::time_point begin_ = Clock::now();
};

// Of the tuner; the expected sizes are told when it tunes.
std::string key_of(const TuneOptions& options) {
  return fmt::format("{} {} {}", options.classes, options.method.empty() ? "auto" : options.method,
                     options.transform ? options.transform->to_string() : "auto");
}

// The value of that name; who comes while it is made waits for it.
template <typename T, typename Make>
std::shared_ptr<T> once(std::map<std::string, std::shared_ptr<T>>& known, const std::string& key, Make make) {
  std::shared_ptr<T>& value = known[key];
  if (!value) value = std::make_shared<T>(make());
  return value;
}

}  // namespace

double& PoolCache::seconds() {
  thread_local double spent = 0;
  return spent;
}

PublicTransform PoolCache::transform(const TransformSpec& spec) {
  const Stopwatch stopwatch;
  const std::lock_guard lock(transforms_mutex_);
  return *once(transforms_, spec.to_string(),
               [&] { return PublicTransform::compute(spec, pool_.dim(), pool_, threads_); });
}

std::shared_ptr<const PoolPrior> PoolCache::prior(const PublicTransform& transform) {
  const Stopwatch stopwatch;
  const std::lock_guard lock(priors_mutex_);
  return once(priors_, transform.spec().to_string(), [&] { return PoolPrior::of(pool_, transform, threads_); });
}

QuantisedRows PoolCache::quantised(const PublicTransform& transform) {
  const Stopwatch stopwatch;
  const std::lock_guard lock(quantised_mutex_);
  return *once(quantised_, transform.spec().to_string(), [&] {
    const Embeddings& rows = pool_.embeddings();
    return quantise(rows, rows.rows(), transform, threads_, [](size_t i) { return i; });
  });
}

std::shared_ptr<Tuner> PoolCache::tuner(TuneOptions options) {
  const Stopwatch stopwatch;
  const std::lock_guard lock(tuners_mutex_);
  options.threads = threads_;
  return once(tuners_, key_of(options), [&] { return Tuner(pool_, options); });
}

Settings PoolCache::chosen(const std::string& question, const std::function<Settings()>& choose) {
  const Stopwatch stopwatch;
  const std::lock_guard lock(choices_mutex_);
  return *once(choices_, question, choose);
}

}  // namespace dppl
