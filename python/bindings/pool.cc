#include "dppl/pool.h"

#include <fmt/format.h>

#include "dppl/invalid_record.h"
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

py::dict told(const PoolInfo& info) {
  py::dict result;
  result["rows"] = info.rows;
  result["dim"] = info.dim;
  result["transform"] = info.transform.to_string();
  result["bytes"] = info.bytes;
  result["digest"] = info.digest;
  return result;
}

py::dict build(const PublicData& source, const std::string& path, const std::string& transform, unsigned threads,
               const py::object& progress) {
  PoolOptions options{.transform = TransformSpec::parse(transform), .threads = threads};
  const PoolInfo info = unless_interrupted(interruptible(progress, [&](Work& work) {
    work.say_when_interrupted("no pool file was written");
    options.progress = [&](double fraction) { work.progress(fraction); };
    return build_pool(source, options, path);
  }));
  return told(info);
}

// One or several .npy, one after the other, or one part of their rows: (number, count).
py::dict build_files(const std::vector<std::string>& sources, const std::string& path, const std::string& transform,
                     std::pair<size_t, size_t> shard, unsigned threads, const py::object& progress) {
  PoolOptions options{.transform = TransformSpec::parse(transform),
                      .shard = Slice::parse(fmt::format("{}/{}", shard.first, shard.second)),
                      .threads = threads};
  return told(unless_interrupted(interruptible(progress, [&](Work& work) {
    work.say_when_interrupted("no pool file was written");
    options.progress = [&](double fraction) { work.progress(fraction); };
    return with_public_records([&] { return build_pool(sources, options, path); });
  })));
}

py::dict commit(const std::vector<std::string>& shards, const std::string& path, unsigned threads) {
  const PoolInfo info = [&] {
    const py::gil_scoped_release unlocked;
    return commit_pool(shards, path, threads);
  }();
  return told(info);
}

py::dict list_shards(const std::string& path) {
  const PoolManifest manifest = read_pool_manifest(path);
  py::list shards;
  for (const PoolManifest::Shard& shard : manifest.shards) {
    shards.append(py::make_tuple(shard.file, shard.rows, shard.digest));
  }
  py::dict result;
  result["content"] = manifest.digest;
  result["rows"] = manifest.rows;
  result["shards"] = shards;
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
  module.def("build_pool", build_files, py::kw_only(), py::arg("sources"), py::arg("path"), py::arg("transform"),
             py::arg("shard"), py::arg("threads"), py::arg("progress"));
  module.def("commit_pool", commit, py::kw_only(), py::arg("shards"), py::arg("path"), py::arg("threads"));
  module.def("read_manifest", list_shards, py::arg("path"));
}

}  // namespace dppl::python
