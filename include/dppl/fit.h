#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "dppl/model.h"
#include "dppl/random.h"

namespace dppl {

class PoolMemory;
struct SizeGuess;
struct TuneOptions;

// What a mechanism gave out during a fit. Covered by the model's guarantee, as the model is.
struct Release {
  std::string_view what;            // "class sizes", "class sums", "second moment", "gradient"
  std::span<const int64_t> values;  // exact integers plus noise
  double variance;                  // of the noise in each
};

struct FitOptions {
  Hyperparameters hyperparameters;
  // What --method auto may expect, declared by the user; 0: it buys noisy class sizes with kSizeShare of the budget.
  uint64_t records = 0;
  unsigned threads = kDefaultThreads;
  // Called from time to time on long work with a fraction between 0 and 1.
  std::function<void(double)> progress;
  // Called with every noisy sum as it is released, in order. For an audit; a fit needs no more than the model.
  std::function<void(const Release&)> released = {};

  // What many fits may share; for experiments. With the same pool: transforms, the tuner
  // (src/tuning/pool_cache.h). With the same records, pool, transform and clip range: the scores of each class
  // that a fit has computed. They are as private as the records.
  std::shared_ptr<PoolMemory> memory = {};
  std::vector<std::vector<int64_t>>* scores = nullptr;
};

inline const Rational kSizeShare{1, 100};

// `automatic` resolved as far as that needs no tuning: without a pool, or with one too small to tune on. A pool file
// with a transform brings it along where none was asked for.
Hyperparameters resolve(const Hyperparameters& wanted, const BudgetSpec& budget, const PublicData* pool);

// What fit() will spend of such a budget; to reserve it before any private value is read. Refuses what cannot work: a
// pure budget for Gaussian noise, a relation that the method's proof does not cover, hyperparameters out of range.
Guarantee price(const Hyperparameters& resolved, const BudgetSpec& budget);

// Everything that a fit with these would refuse, refused now; and the transform that it would use.
PublicTransform check(const Hyperparameters& hyperparameters, const BudgetSpec& budget, size_t dim,
                      const PublicData* pool, unsigned threads);

// A fit with everything public about it decided and checked: hyperparameters resolved, price known, transform computed,
// pool and data fit together. Whatever can be refused is refused here, before a budget is reserved.
class FitPlan {
 public:
  FitPlan(const PrivateData& data, const PublicData* pool, const FitOptions& options, const BudgetSpec& budget);

  // The method is still `automatic` where the choice waits for noisy class sizes.
  const Hyperparameters& hyperparameters() const { return options_.hyperparameters; }
  const Guarantee& price() const { return price_; }
  // Why `automatic` was not tuned on the pool but resolved to a method with its plain settings; empty: it was.
  const std::string& untuned_because() const { return untuned_because_; }
  // An upper bound on the size of the model's file.
  uint64_t model_bytes() const;

  // Prototypes for every declared class, with or without records. Costs price(). The budget must be the one the plan
  // was made for.
  Model run(Budget budget, Random& random) const;

 private:
  Model fit_with(const Hyperparameters& hyperparameters, const PublicTransform& transform, Budget budget,
                 Random& random) const;
  void prepare_choice();
  TuneOptions tuning_for(const SizeGuess& sizes) const;
  Hyperparameters tuned(const BudgetSpec& budget, const SizeGuess& sizes) const;
  PublicTransform transform_of(const TransformSpec& spec) const;

  const PrivateData& data_;
  const PublicData* pool_;
  FitOptions options_;
  BudgetSpec budget_;
  Guarantee price_;
  PublicTransform transform_;
  std::string untuned_because_;
};

// The same in one call.
Model fit(const PrivateData& data, const PublicData* pool, const FitOptions& options, Budget budget, Random& random);

}  // namespace dppl
