#include "dppl/pool.h"

#include "python/bindings/bindings.h"
#include "python/bindings/convert.h"
#include "python/bindings/interruptible.h"

namespace dppl::python {
namespace {

PublicData open_pool(const std::string& path, unsigned threads) {
  const py::gil_scoped_release unlocked;
  return PublicData::open(path, threads);
}

PublicData view_pool(const py::array& rows, unsigned threads) {
  const MatrixView matrix = matrix_of(rows);
  const auto owner = keep_alive(rows);
  const py::gil_scoped_release unlocked;
  return PublicData::view(matrix, owner, threads);
}

py::dict build(const PublicData& source, const std::string& path, const std::string& transform, unsigned threads,
               const py::object& progress) {
  PoolOptions options{.transform = TransformSpec::parse(transform), .rows = {}, .threads = threads, .progress = {}};
  const PoolInfo info = unless_interrupted(interruptible(progress, [&](Work& work) {
    work.say_when_interrupted("no pool file was written");
    options.progress = [&](double fraction) { work.progress(fraction); };
    return build_pool(source, options, path);
  }));
  py::dict result;
  result["rows"] = info.rows;
  result["dim"] = info.dim;
  result["transform"] = info.transform.to_string();
  result["bytes"] = info.bytes;
  result["digest"] = info.digest;
  return result;
}

}  // namespace

void bind_pool(py::module_& module) {
  py::class_<PublicData>(module, "Pool")
      .def_static("open", open_pool, py::arg("path"), py::arg("threads"))
      .def_static("view", view_pool, py::arg("rows"), py::arg("threads"))
      .def_property_readonly("rows", &PublicData::size)
      .def_property_readonly("dim", &PublicData::dim)
      .def_property_readonly("digest", &PublicData::digest, py::call_guard<py::gil_scoped_release>())
      .def("build", build, py::arg("path"), py::arg("transform"), py::arg("threads"), py::arg("progress"));
}

}  // namespace dppl::python
