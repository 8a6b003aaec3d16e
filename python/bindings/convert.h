#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dppl/budget.h"
#include "dppl/embeddings.h"

// Between Python's values and the library's. What Python hands over has been made an array of a type and layout that
// the library takes (python/dppl/_inputs.py); here it is looked at where it is.
namespace dppl::python {

namespace py = pybind11;

// Keeps a Python object alive from threads that do not hold the interpreter's lock.
std::shared_ptr<const void> keep_alive(py::object object);

MatrixView matrix_of(const py::array& array);
// Values of a one-dimensional int64 array.
std::vector<int64_t> integers_of(const py::array_t<int64_t>& array);

// A number of classes, or their names.
ClassSet classes_of(const py::object& number_or_names);

// {"epsilon": "1", "delta": "1e-5"} or {"rho": "0.125"}, as text, so that 0.1 is a tenth.
BudgetSpec budget_of(const std::map<std::string, std::string>& amounts, Relation relation);

// The next float that is not below: what it cost, never less.
double rounded_up(const Rational& value);
py::object rounded_up(const std::optional<Rational>& value);

// An array that owns the values; no copy.
template <typename T>
py::array_t<T> array_of(std::vector<T> values, std::vector<py::ssize_t> shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  const T* data = owned->data();
  const py::capsule owner(owned.release(), [](void* memory) { delete static_cast<std::vector<T>*>(memory); });
  return py::array_t<T>(std::move(shape), data, owner);
}

// From JSON text to Python's dictionaries and lists.
py::object parse_json(const std::string& text);

}  // namespace dppl::python
