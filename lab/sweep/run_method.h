#pragma once

#include "lab/sweep/method_settings.h"
#include "lab/sweep/space.h"

namespace dppl {

// One run: of which method, on which of the rows.
struct MethodRun {
  const Space& space;
  const std::string& kind;
  const SweepSettings& settings;
  std::optional<Settings> own = {};  // ours: as asked, or as tuned
  std::optional<double> rho = {};
  std::span<const uint64_t> rows;
  uint64_t random_seed = 0;
  std::shared_ptr<std::vector<std::vector<int64_t>>> scores = {};  // see SharedFits
};

struct MethodResult {
  std::vector<int64_t> predicted;
  double seconds = 0, rho_spent = 0;
  nlohmann::ordered_json used = {};
  std::string trace = {};
  std::optional<Model> model = {};  // ours
};

MethodResult run_method(const MethodRun& run);

// A map of the model in the plane of its true class means. `rows` and `predicted` are the run's.
SweepMap draw_map(const MethodRun& run, const MethodResult& result);

}  // namespace dppl
