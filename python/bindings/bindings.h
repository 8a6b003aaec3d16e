#pragma once

#include <pybind11/pybind11.h>

// One function per file, which adds what that file binds.
namespace dppl::python {

void bind_errors(pybind11::module_& module);
void bind_settings(pybind11::module_& module);
void bind_privacy(pybind11::module_& module);
void bind_ledger(pybind11::module_& module);
void bind_pool(pybind11::module_& module);
void bind_model(pybind11::module_& module);
void bind_shards(pybind11::module_& module);
void bind_fit(pybind11::module_& module);
void bind_metrics(pybind11::module_& module);
void bind_audit(pybind11::module_& module);
void bind_embed(pybind11::module_& module);
void bind_report(pybind11::module_& module);
void bind_lab(pybind11::module_& module);

}  // namespace dppl::python
