#include <fmt/format.h>

#include "dppl/baselines.h"
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

// Held as a class of its own, so that a call does not copy what it holds.
struct TrainedBaseline {
  BaselineClassifier classifier;
};

py::tuple train(const std::string& name, const Rows& rows, const py::array_t<int64_t>& labels, size_t classes,
                const std::optional<Rows>& pool, const std::optional<double>& rho,
                const std::map<std::string, double>& settings, uint64_t seed, unsigned threads) {
  const Baseline& baseline = find_baseline(name);
  const std::vector<int64_t> numbers = integers_of(labels);
  const std::vector<uint32_t> truth(numbers.begin(), numbers.end());
  BaselineInput input{.train = {.values = values_of(rows),
                                .dim = static_cast<size_t>(rows.shape(1)),
                                .labels = truth,
                                .classes = classes},
                      .rho = rho,
                      .settings = {settings.begin(), settings.end()},
                      .threads = threads};
  if (pool) input.pool = values_of(*pool);
  BaselineResult result = unless_interrupted(interruptible(py::none(), [&](Work& work) {
    input.progress = [&](double fraction) { work.progress(fraction); };
    SeededRandom random(seed);
    return train_baseline(baseline, input, random);
  }));
  return py::make_tuple(TrainedBaseline{std::move(result.classifier)}, result.rho_spent, result.trace);
}

py::array_t<int64_t> predict_rows(const TrainedBaseline& trained, const Rows& rows, unsigned threads) {
  const std::span<const float> values = values_of(rows);
  const std::vector<uint32_t> predicted = unless_interrupted(
      interruptible(py::none(), [&](Work&) { return predict(trained.classifier, values, threads); }));
  return array_of(std::vector<int64_t>(predicted.begin(), predicted.end()), {rows.shape(0)});
}

template <typename T>
py::array_t<T> flat(const std::vector<T>& values) {
  return array_of(values, {static_cast<py::ssize_t>(values.size())});
}

template <typename T>
std::vector<T> values_at(const py::tuple& state, size_t i) {
  const auto array = state[i].cast<py::array_t<T>>();
  return {array.data(), array.data() + array.size()};
}

// What a pickle holds: the members, in order. The two kinds have different numbers of them.
py::tuple to_state(const TrainedBaseline& trained) {
  if (const auto* linear = std::get_if<LinearClassifier>(&trained.classifier))
    return py::make_tuple(linear->dim, flat(linear->projection), flat(linear->weights));
  const auto& nearest = std::get<NeighbourClassifier>(trained.classifier);
  return py::make_tuple(nearest.dim, nearest.classes, nearest.k, flat(nearest.rows), flat(nearest.labels));
}

TrainedBaseline from_state(const py::tuple& state) {
  const auto size_at = [&](size_t i) { return state[i].cast<size_t>(); };
  if (state.size() == 3) {
    return {LinearClassifier{
        .dim = size_at(0), .projection = values_at<float>(state, 1), .weights = values_at<float>(state, 2)}};
  }
  return {NeighbourClassifier{.dim = size_at(0),
                              .classes = size_at(1),
                              .k = size_at(2),
                              .rows = values_at<float>(state, 3),
                              .labels = values_at<uint32_t>(state, 4)}};
}

py::dict sweep(const std::string& path, const std::string& directory, const std::string& data, unsigned threads,
               bool runs_only, const py::object& progress) {
  const SweepPlan plan = load_plan(path, data);
  SweepResults results;
  const SweepFiles files = unless_interrupted(interruptible(progress, [&](Work& work) {
    work.say_when_interrupted(fmt::format("finished runs are kept in {}; the same call goes on", directory));
    results = run_sweep(plan, {.directory = directory,
                               .version = DPPL_VERSION,
                               .threads = threads,
                               .runs_only = runs_only,
                               .progress = [&](uint64_t done, uint64_t total) {
                                 work.progress(static_cast<double>(done) / static_cast<double>(total));
                               }});
    return runs_only ? SweepFiles() : write_sweep(results, directory);
  }));
  py::dict result;
  result["done"] = results.done;
  result["by_others"] = results.by_others;
  result["taken_over"] = results.taken_over;
  result["results"] = files.results;
  result["report"] = files.report;
  result["figures"] = files.figures;
  return result;
}

}  // namespace

void bind_lab(py::module_& module) {
  module.def("baselines", describe_baselines);
  py::class_<TrainedBaseline>(module, "TrainedBaseline")
      .def("predict", predict_rows, py::arg("rows"), py::arg("threads"))
      .def(py::pickle(&to_state, &from_state));
  module.def("train_baseline", train, py::kw_only(), py::arg("name"), py::arg("rows"), py::arg("labels"),
             py::arg("classes"), py::arg("pool"), py::arg("rho"), py::arg("settings"), py::arg("seed"),
             py::arg("threads"));
  module.def("sweep", sweep, py::kw_only(), py::arg("plan"), py::arg("directory"), py::arg("data"), py::arg("threads"),
             py::arg("runs_only"), py::arg("progress"));
}

}  // namespace dppl::python
