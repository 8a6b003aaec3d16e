#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "dppl/model.h"
#include "dppl/random.h"
#include "dppl/tune.h"

namespace dppl {

// What a mechanism gave out during a fit. Covered by the model's guarantee, as the model is.
struct Release {
  std::string_view what;            // "class sizes", "class sums", "second moment", "gradient"
  std::span<const int64_t> values;  // exact integers plus noise
  double variance;                  // of the noise in each
};

// Answers of tuning, kept by the caller wherever it likes; what comes back is checked as any other settings are. Both
// may be empty.
struct ChoiceCache {
  std::function<std::optional<std::string>(const std::string& key)> find = {};
  std::function<void(const std::string& key, const std::string& answer)> keep = {};
};

struct FitOptions {
  Settings settings = {};
  unsigned threads = kDefaultThreads;
  // Called from time to time on long work with a fraction between 0 and 1.
  std::function<void(double)> progress = {};
  // Called with every noisy sum as it is released, in order. For an audit; a fit needs no more than the model.
  std::function<void(const Release&)> released = {};
  ChoiceCache choices = {};
};

// Of the budget, what `auto` spends on noisy class sizes where the number of records is not declared.
inline const Rational kSizeShare{1, 100};

// The best settings that tune() finds, from the cache where they are there. Throws as tune() does.
Settings choose(const PublicData& pool, const BudgetSpec& budget, const TuneOptions& options,
                const ChoiceCache& cache = {});

// `auto` resolved as far as that needs no tuning: without a pool, or with one too small to tune on. A pool file with a
// transform brings it along where none was asked for.
Settings resolve(const Settings& wanted, const BudgetSpec& budget, const std::optional<PublicData>& pool);

// What fit() will spend of such a budget; to reserve it before any private value is read. Refuses what cannot work: a
// pure budget for Gaussian noise, a relation that the method's proof does not cover, settings out of range.
Guarantee price(const Settings& resolved, const BudgetSpec& budget);

// Everything that a fit with these would refuse, refused now; and the transform that it would use.
PublicTransform check(const Settings& settings, const BudgetSpec& budget, size_t dim,
                      const std::optional<PublicData>& pool, unsigned threads);

struct SharedFits;

// A fit with everything public about it decided and checked: settings resolved, price known, transform computed, pool
// and data fit together. Whatever can be refused is refused here, before a budget is reserved. The data must outlive
// the plan.
class FitPlan {
 public:
  FitPlan(const PrivateData& data, const std::optional<PublicData>& pool, const FitOptions& options,
          const BudgetSpec& budget);
  FitPlan(PrivateData&&, const std::optional<PublicData>&, const FitOptions&, const BudgetSpec&) = delete;
  ~FitPlan();
  FitPlan(FitPlan&&) noexcept;
  FitPlan& operator=(FitPlan&&) noexcept;

  // Still `auto` where the choice waits for noisy class sizes.
  const Settings& settings() const;
  const Guarantee& price() const;
  // Why `auto` was not tuned on the pool but resolved to a method with its plain settings; empty: it was.
  const std::string& untuned_because() const;
  // An upper bound on the size of the model's file.
  uint64_t model_bytes() const;

  // Prototypes for every declared class, with or without records. Costs price(). The budget must be the one the plan
  // was made for.
  Model run(Budget budget, Random& random) const;

 private:
  friend FitPlan plan_fit(const PrivateData&, const std::optional<PublicData>&, const FitOptions&, const BudgetSpec&,
                          const SharedFits&);
  struct State;
  explicit FitPlan(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The same in one call.
Model fit(const PrivateData& data, const std::optional<PublicData>& pool, const FitOptions& options, Budget budget,
          Random& random);

}  // namespace dppl
