#include <fmt/format.h>

#include "dppl/baselines.h"
#include "dppl/error.h"
#include "dppl/sweep.h"
#include "python/bindings/bindings.h"
#include "python/bindings/convert.h"
#include "python/bindings/interruptible.h"

namespace dppl::python {
namespace {

py::list describe_baselines() {
  py::list result;
  for (const Baseline& baseline : baselines()) {
    result.append(py::dict(
        py::arg("name") = baseline.name, py::arg("words") = baseline.words, py::arg("private") = baseline.is_private,
        py::arg("uses_pool") = baseline.uses_pool,
        py::arg("defaults") = std::map<std::string, double>(baseline.defaults.begin(), baseline.defaults.end())));
  }
  return result;
}

using Rows = py::array_t<float, py::array::c_style>;

std::span<const float> values_of(const Rows& rows) { return {rows.data(), static_cast<size_t>(rows.size())}; }

// Trains and predicts in one go, as the baselines do.
py::tuple run_named(const std::string& name, const Rows& train, const py::array_t<int64_t>& labels, size_t classes,
                    const Rows& test, const std::optional<Rows>& pool, const std::optional<double>& rho,
                    const std::map<std::string, double>& settings, uint64_t seed, unsigned threads) {
  const Baseline* baseline = find_baseline(name);
  if (baseline == nullptr) throw InvalidInput(fmt::format("'{}' is not a baseline", name));
  std::vector<uint32_t> truth;
  for (const int64_t label : integers_of(labels)) truth.push_back(static_cast<uint32_t>(label));
  BaselineInput input{.train = {.values = values_of(train),
                                .dim = static_cast<size_t>(train.shape(1)),
                                .labels = truth,
                                .classes = classes},
                      .test = values_of(test),
                      .rho = rho,
                      .settings = {settings.begin(), settings.end()},
                      .threads = threads};
  if (pool) input.pool = values_of(*pool);
  BaselineResult result = interruptible(py::none(), [&](Work&) {
                            SeededRandom random(seed);
                            return run_baseline(*baseline, input, random);
                          }).value;
  const auto count = static_cast<py::ssize_t>(result.predicted.size());
  return py::make_tuple(array_of(std::vector<int64_t>(result.predicted.begin(), result.predicted.end()), {count}),
                        result.rho_spent);
}

py::dict sweep(const std::string& path, const std::string& directory, const std::string& data, unsigned threads,
               const py::object& progress) {
  const SweepPlan plan = load_plan(path, data);
  const SweepResults results =
      interruptible(progress, [&](Work& work) {
        work.say_when_interrupted(fmt::format("finished runs are kept in {}; the same call goes on", directory));
        return run_sweep(plan, {.directory = directory,
                                .version = DPPL_VERSION,
                                .threads = threads,
                                .progress = [&](uint64_t done, uint64_t total) {
                                  work.progress(static_cast<double>(done) / static_cast<double>(total));
                                }});
      }).value;
  const SweepFiles files = write_sweep(results, directory);
  py::dict result;
  result["results"] = files.results;
  result["report"] = files.report;
  result["figures"] = files.figures;
  return result;
}

}  // namespace

void bind_lab(py::module_& module) {
  module.def("baselines", describe_baselines);
  module.def("run_baseline", run_named, py::kw_only(), py::arg("name"), py::arg("train"), py::arg("labels"),
             py::arg("classes"), py::arg("test"), py::arg("pool"), py::arg("rho"), py::arg("settings"), py::arg("seed"),
             py::arg("threads"));
  module.def("sweep", sweep, py::kw_only(), py::arg("plan"), py::arg("directory"), py::arg("data"), py::arg("threads"),
             py::arg("progress"));
}

}  // namespace dppl::python
