#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "dppl/class_knowledge.h"
#include "dppl/model.h"
#include "dppl/random.h"
#include "dppl/tune.h"

namespace dppl {

class RemotePool;

// What a mechanism gave out during a fit. Covered by the model's guarantee, as the model is.
struct Release {
  std::string_view what;            // "class sizes", "centre", "class sums", "second moment", "gradient"
  std::span<const int64_t> values;  // exact integers plus noise
  double variance;                  // of the noise in each
};

struct FitOptions {
  Settings settings = {};
  unsigned threads = kDefaultThreads;
  // Called from time to time on long work with a fraction between 0 and 1.
  std::function<void(double)> progress = {};
  // Called with every noisy sum as it is released, in order. For an audit; a fit needs no more than the model.
  std::function<void(const Release&)> released = {};
  // What is publicly known about the classes.
  std::shared_ptr<const ClassKnowledge> knowledge = {};
  // A pool in shards on other machines (dppl/shards.h), for public and public-k. The pool is then its description().
  std::shared_ptr<RemotePool> remote = {};
};

// Of the budget, for noisy class sizes, where they are needed.
inline const Rational kSizeShare{1, 100};

// A setting that is given although it is what `auto` chooses.
class ChosenSetting : public InvalidSetting {
 public:
  using InvalidSetting::InvalidSetting;
};

// The settings of a method, some of them given by name as text. With the transform "auto" and a method of the user's,
// that method's settings are tuned on the pool, for as many records as are declared. Throws InvalidSetting.
Settings choose_settings(std::string_view method, const std::map<std::string, std::string>& given,
                         const BudgetSpec& budget, const std::optional<PublicData>& pool, size_t classes,
                         unsigned threads = kDefaultThreads);

// `auto` resolved where there is nothing to choose by: without a pool, or with one that is too small. A pool file with
// a transform brings it along where none was asked for.
Settings resolve(const Settings& wanted, const BudgetSpec& budget, const std::optional<PublicData>& pool);

// Throws InvalidSetting for a method that needs more of a pool on other machines than to choose from its rows.
void check_remote(const Settings& settings);

// What fit() will spend of such a budget; to reserve it before any private value is read. Refuses what cannot work: a
// pure budget for Gaussian noise, a relation that the method's proof does not cover, settings out of range.
Guarantee price(const Settings& resolved, const BudgetSpec& budget);

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
  // Why `auto` chose nothing but took a method with its plain settings; empty: it does choose.
  const std::string& plain_because() const;
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

// A classifier of public knowledge alone. Spends nothing and needs no private data. The transform is that of the
// settings (`auto`: the pool's leading directions, where there is a pool).
Model fit_public_only(const ClassKnowledge& knowledge, const std::optional<PublicData>& pool, const Settings& settings,
                      unsigned threads = kDefaultThreads);

// A plan and its run in one call.
Model fit(const PrivateData& data, const std::optional<PublicData>& pool, const FitOptions& options, Budget budget,
          Random& random);

}  // namespace dppl
