#pragma once

#include <nlohmann/json.hpp>

#include "dppl/baselines.h"
#include "dppl/fit.h"
#include "dppl/sweep.h"

// From a plan's words to what a fit or a baseline takes. Everything here throws InvalidInput for a setting that is not
// known, of the wrong type or out of range.
namespace dppl {

// mean, public, public-k or auto; other kinds are baselines.
bool is_own_method(std::string_view kind);

Settings own_method(std::string_view kind, const SweepSettings& settings);

// "transform".
TransformSpec transform_of(const SweepSettings& settings);
// All but this one.
BaselineSettings baseline_settings(const SweepSettings& settings);

// All settings that the method is to be run with: one, or one per candidate of its grid.
std::vector<SweepSettings> candidates_of(const SweepPlan::Method& method);

// Whether any of them needs a public pool.
bool uses_pool(const SweepPlan::Method& method);

// Throws where this method could not run at one of the budgets, whatever the data.
void check_method(const SweepPlan::Method& method, const std::vector<double>& rho);

// Exactly the number that was written.
Rational exact(double value);
std::string to_text(const SweepSetting& value);
nlohmann::ordered_json to_json(const SweepSettings& settings);

}  // namespace dppl
