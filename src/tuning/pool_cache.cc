#include "tuning/pool_cache.h"

#include <algorithm>
#include <chrono>

#include "kernels/gemm.h"
#include "kernels/row_math.h"
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

// The value of that name; who comes while it is made waits for it.
template <typename T, typename Make>
std::shared_ptr<T> once(std::map<std::string, std::shared_ptr<T>>& known, const std::string& key, Make make) {
  std::shared_ptr<T>& value = known[key];
  if (!value) value = std::make_shared<T>(make());
  return value;
}

}  // namespace

std::vector<double> PoolCache::similarities(const TransformSpec& spec, std::span<const double> shares) {
  const PublicTransform of_rows = transform(spec);
  const Stopwatch stopwatch;
  const std::lock_guard lock(cosines_mutex_);
  const auto cosines = once(cosines_, spec.to_string(), [&] {
    constexpr size_t kRows = 4096, kEach = 256;
    const size_t dim = of_rows.output_dim();
    std::vector<float> rows = spread_rows(pool_, of_rows, kRows, threads_);
    const size_t count = rows.size() / dim, some = std::min(count, kEach);
    for (size_t i = 0; i < count; ++i) normalise_row(rows.data() + i * dim, dim, rows.data() + i * dim);
    std::vector<float> values(some * count);
    multiply_rows(rows.data(), some, dim, rows.data(), count, values.data());
    std::sort(values.begin(), values.end());
    return values;
  });
  std::vector<double> result;
  for (const double share : shares) {
    result.push_back(
        static_cast<double>((*cosines)[static_cast<size_t>(share * static_cast<double>(cosines->size() - 1))]));
  }
  return result;
}

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

}  // namespace dppl
