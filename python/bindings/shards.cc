#include "dppl/shards.h"

#include "python/bindings/bindings.h"
#include "python/bindings/convert.h"

namespace dppl::python {
namespace {

py::bytes answer(SelectionShard& shard, const py::bytes& request) {
  const std::string_view bytes = request;
  std::string reply;
  {
    const py::gil_scoped_release unlocked;
    reply = shard.answer(bytes);
  }
  return py::bytes(reply);
}

py::list replay(const ShardRequest& request) {
  py::list messages;
  for (const std::string& message : request.replay()) messages.append(py::bytes(message));
  return messages;
}

// The caller's function, called from a thread of the library's. What it raises goes through the fit as it is.
RemotePool::Ask asks(py::function function) {
  const auto* callable = new py::function(std::move(function));
  const std::shared_ptr<const py::function> held(callable, [](const py::function* last) {
    const py::gil_scoped_acquire lock;
    delete last;
  });
  return [held](std::span<const ShardRequest> requests) {
    const py::gil_scoped_acquire lock;
    py::list asked;
    for (const ShardRequest& request : requests) asked.append(py::cast(request));
    std::vector<std::string> replies;
    for (const py::handle reply : (*held)(asked)) {
      if (!py::isinstance<py::bytes>(reply)) throw py::type_error("ask: returns a list of bytes, one per request");
      replies.push_back(reply.cast<std::string>());
    }
    return replies;
  };
}

std::shared_ptr<RemotePool> remote_pool(const std::vector<std::pair<std::string, size_t>>& shards,
                                        const std::string& digest, const std::string& session, py::function ask) {
  std::vector<RemotePool::Shard> all;
  for (const auto& [file, rows] : shards) all.push_back({file, rows});
  RemotePool::Ask asked = asks(std::move(ask));
  const py::gil_scoped_release unlocked;
  return std::make_shared<RemotePool>(std::move(all), digest, session, std::move(asked));
}

}  // namespace

void bind_shards(py::module_& module) {
  py::class_<SelectionShard>(module, "SelectionShard")
      .def(py::init<const std::string&, size_t, unsigned>(), py::arg("path"), py::arg("first_row"), py::arg("threads"),
           py::call_guard<py::gil_scoped_release>())
      .def("answer", answer, py::arg("request"))
      .def_property_readonly("rows", &SelectionShard::rows)
      .def_property_readonly("first_row", &SelectionShard::first_row)
      .def_property_readonly("digest", &SelectionShard::digest);
  py::class_<ShardRequest>(module, "ShardRequest")
      .def_property_readonly("shard", &ShardRequest::shard)
      .def_property_readonly("sequence", &ShardRequest::sequence)
      .def_property_readonly("message", [](const ShardRequest& request) { return py::bytes(request.message()); })
      .def_property_readonly("replay", replay);
  py::class_<RemotePool, std::shared_ptr<RemotePool>>(module, "RemotePool")
      .def(py::init(&remote_pool), py::arg("shards"), py::arg("digest"), py::arg("session"), py::arg("ask"))
      .def_property_readonly("rows", [](const RemotePool& pool) { return pool.description().size(); })
      .def_property_readonly("dim", [](const RemotePool& pool) { return pool.description().dim(); })
      .def_property_readonly("digest", [](const RemotePool& pool) { return pool.description().digest(); })
      .def_property_readonly("transform", [](const RemotePool& pool) { return pool.transform(); });
}

}  // namespace dppl::python
