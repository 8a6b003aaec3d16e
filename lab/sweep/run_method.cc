#include "lab/sweep/run_method.h"

#include <chrono>
#include <cmath>
#include <limits>

#include "dppl/classify.h"
#include "methods/shared_fits.h"
#include "model/model_header.h"
#include "rows/private_access.h"

namespace dppl {
namespace {

using Clock = std::chrono::steady_clock;

// Without what this thread did for, or waited for with, other runs.
double seconds_since(Clock::time_point begin) {
  return std::max(0.0, std::chrono::duration<double>(Clock::now() - begin).count() - PoolCache::seconds());
}

MethodResult run_own(const MethodRun& run) {
  const FitOptions options{.settings = run.space.transformed() ? with_transform(*run.own, {}) : *run.own, .threads = 1};
  const PoolSet* pool = run.space.pool();
  const SharedFits shared{.pool = pool != nullptr ? pool->cache : nullptr, .scores = run.scores};
  SeededRandom random(run.random_seed);
  const PrivateData data = PrivateAccess::some_rows(run.space.train(), run.space.data().labels_of(run.rows),
                                                    {run.rows.begin(), run.rows.end()}, run.space.data().classes, 1);
  const Embeddings test = run.space.test();
  const BudgetSpec budget = BudgetSpec::zcdp(exact(run.rho.value()));

  PoolCache::seconds() = 0;
  const auto begin = Clock::now();
  MethodResult result;
  const std::optional<PublicData> rows = pool != nullptr ? std::optional(pool->rows) : std::nullopt;
  Model model = plan_fit(data, rows, options, budget, shared).run(Budget::unledgered(budget), random);
  const std::vector<int32_t> nearest = Classifier(model, 1).predict(test);
  result.seconds = seconds_since(begin);
  result.predicted.assign(nearest.begin(), nearest.end());
  result.rho_spent = model.guarantee.rho ? model.guarantee.rho->get_d() : 0;
  const bool chosen = is_auto(*run.own);
  const Settings used = chosen ? model.settings : with_transform(model.settings, transform_of(*run.own));
  result.used = settings_json(used, model.size_share);
  result.model = std::move(model);
  return result;
}

// Numbers only: JSON has no infinity.
std::string trace_json(const std::map<std::string, std::vector<double>>& trace) {
  if (trace.empty()) return "";
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (auto [name, values] : trace) {
    for (double& value : values) {
      if (!std::isfinite(value)) value = std::copysign(std::numeric_limits<double>::max(), value);
    }
    json[name] = values;
  }
  return json.dump();
}

MethodResult run_other(const MethodRun& run) {
  const Baseline& baseline = find_baseline(run.kind);
  const Space& space = run.space;
  const size_t dim = space.dim(), count = run.rows.size();
  std::vector<uint32_t> labels(count);
  for (size_t i = 0; i < count; ++i) labels[i] = static_cast<uint32_t>(space.data().train_labels[run.rows[i]]);
  std::vector<float> some;
  std::span<const float> values = space.train_values();
  if (count * dim < values.size()) {
    some.resize(count * dim);
    for (size_t i = 0; i < count; ++i) {
      const auto row = values.subspan(run.rows[i] * dim, dim);
      std::copy(row.begin(), row.end(), some.begin() + static_cast<std::ptrdiff_t>(i * dim));
    }
    values = some;
  }
  BaselineInput input{.train = {values, dim, labels, space.data().classes.size()},
                      .pool = space.pool_values(),
                      .rho = run.rho,
                      .settings = baseline_settings(run.settings)};
  SeededRandom random(run.random_seed);
  const auto begin = Clock::now();
  const BaselineResult done = train_baseline(baseline, input, random);
  const std::vector<uint32_t> predicted = predict(done.classifier, space.test_values());
  MethodResult result;
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  result.predicted.assign(predicted.begin(), predicted.end());
  result.rho_spent = done.rho_spent;
  result.trace = trace_json(done.trace);
  result.used = nlohmann::ordered_json::object();
  for (const auto& [name, value] : baseline.defaults) result.used[name] = value;
  for (const auto& [name, value] : input.settings) result.used[name] = value;
  return result;
}

}  // namespace

MethodResult run_method(const MethodRun& run) { return run.own ? run_own(run) : run_other(run); }

}  // namespace dppl
