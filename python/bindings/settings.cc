#include "dppl/settings.h"

#include <pybind11/stl.h>

#include "dppl/embeddings.h"
#include "python/bindings/bindings.h"

namespace dppl::python {
namespace {

namespace py = pybind11;

const char* type_words(SettingField::Type type) {
  switch (type) {
    case SettingField::Type::flag:
      return "bool";
    case SettingField::Type::whole:
      return "int";
    case SettingField::Type::number:
      return "float";
    case SettingField::Type::word:
      break;
  }
  return "str";
}

py::list fields() {
  py::list result;
  for (const SettingField& field : setting_fields()) {
    if (field.of_older_models) continue;
    result.append(py::dict(py::arg("name") = field.name, py::arg("words") = field.words,
                           py::arg("methods") = field.methods, py::arg("type") = type_words(field.type),
                           py::arg("standard") = field.standard));
  }
  return result;
}

}  // namespace

void bind_settings(py::module_& module) {
  module.attr("DEFAULT_THREADS") = kDefaultThreads;
  module.def("setting_fields", fields);
}

}  // namespace dppl::python
