#pragma once

#include <fmt/format.h>

#include "dppl/error.h"
#include "dppl/fit.h"
#include "methods/release.h"
#include "methods/shared_fits.h"
#include "rows/records.h"

namespace dppl {

// A budget for the relation that records are private under, known to the compiler as checked: a method takes no other.
class CheckedBudget {
 public:
  // Throws InvalidInput when the budget is for another relation.
  CheckedBudget(Budget budget, const PrivateAccess& access);
  Budget take() && { return std::move(budget_); }

 private:
  Budget budget_;
};
// The same check, for a budget that is still to be made.
void check_relation(const BudgetSpec& budget, const PrivateAccess& access);

// What every method gets.
struct FitInput {
  Records records;
  const std::optional<PublicData>& pool;
  const FitOptions& options;
  const SharedFits& shared;
  // Where they were bought already.
  std::optional<NoisySizes> sizes = {};

  Relation relation() const { return relation_of(records.access); }

  void tell_released(std::string_view what, std::span<const int64_t> values, double variance) const {
    if (options.released) options.released({what, values, variance});
  }
};

// What it returns: its part of the model and what it spent.
struct Prototypes {
  std::vector<float> values = {};  // classes × per_class × dim
  size_t per_class = 1;
  Guarantee guarantee;
  // The transform of the records, where its centre was moved.
  std::optional<PublicTransform> transform = {};
  Rational size_share = 0;  // of the budget, for class sizes
  double score_scale = 0;   // Model::score_scale

  std::vector<int64_t> sums = {};
  double unit = 0;
  Rational noise_variance = 0;
  std::vector<uint64_t> pool_indices = {};
};

// A method is these three functions for settings of its own, in a file of its own; fit.cc finds them by the type of the
// settings (dppl/settings.h). A new one is a new type in the variant, and its file.

// What a fit will spend of such a budget. Throws InvalidInput for a budget that the method cannot use and for noise
// that cannot be drawn.
Guarantee price_of(const MeanSettings& settings, const BudgetSpec& budget);
Guarantee price_of(const PublicSettings& settings, const BudgetSpec& budget);
Guarantee price_of(const PublicKSettings& settings, const BudgetSpec& budget);

// Whether the prototypes depend on the pool's rows, and not on its transform alone. Throws InvalidInput where they do
// and there is none, or one that is too small.
bool uses_pool(const MeanSettings& settings, const std::optional<PublicData>& pool);
bool uses_pool(const PublicSettings& settings, const std::optional<PublicData>& pool);
bool uses_pool(const PublicKSettings& settings, const std::optional<PublicData>& pool);

Prototypes fit_prototypes(const MeanSettings& settings, const FitInput& input, CheckedBudget budget, Random& random);
Prototypes fit_prototypes(const PublicSettings& settings, const FitInput& input, CheckedBudget budget, Random& random);
Prototypes fit_prototypes(const PublicKSettings& settings, const FitInput& input, CheckedBudget budget, Random& random);

// Calls with the settings of the method; `auto` has to be resolved.
template <typename Call>
auto with_method(const Settings& settings, const Call& call) {
  using Result = std::invoke_result_t<const Call&, const MeanSettings&>;
  return std::visit(
      [&]<typename S>(const S& one) -> Result {
        if constexpr (std::is_same_v<S, AutoSettings>) {
          throw InvalidInput("fit: the method is still to be chosen");
        } else {
          return call(one);
        }
      },
      settings);
}

// Noise beyond what the samplers draw would be refused when the budget is reserved already: this refuses it before.
template <typename Noise>
void check_drawable(const BudgetSpec& budget, const Noise& make_noise) {
  try {
    make_noise();
  } catch (const InvalidInput&) {
    throw InvalidInput(fmt::format(
        "{}: is too small a budget: the noise it asks for is wider than can be drawn; give more", budget.describe()));
  }
}

}  // namespace dppl
