#include "python/bindings/convert.h"

#include <cmath>
#include <limits>

namespace dppl::python {
namespace {

DType dtype_of(const py::dtype& dtype) {
  const char kind = dtype.kind();
  const auto size = dtype.itemsize();
  if (kind == 'f' && size == 2) return DType::float16;
  if (kind == 'f' && size == 4) return DType::float32;
  if (kind == 'f' && size == 8) return DType::float64;
  if (kind == 'i' && size == 1) return DType::int8;
  if (kind == 'u' && size == 1) return DType::uint8;
  throw py::type_error("embeddings are float16, float32, float64, int8 or uint8");
}

}  // namespace

std::shared_ptr<const void> keep_alive(py::object object) {
  auto* held = new py::object(std::move(object));
  return {held, [](const void* memory) {
            const py::gil_scoped_acquire lock;
            delete static_cast<const py::object*>(memory);
          }};
}

MatrixView matrix_of(const py::array& array) {
  if (array.ndim() != 2) throw py::value_error("embeddings are a matrix: one row per record");
  return {.data = array.data(),
          .rows = static_cast<size_t>(array.shape(0)),
          .dim = static_cast<size_t>(array.shape(1)),
          .dtype = dtype_of(array.dtype()),
          // NumPy's strides of a single row or value say nothing.
          .row_stride = array.shape(0) > 1 ? std::optional(array.strides(0)) : std::nullopt,
          .value_stride = array.shape(1) > 1 ? std::optional(array.strides(1)) : std::nullopt};
}

std::vector<int64_t> integers_of(const py::array_t<int64_t>& array) {
  const auto values = array.unchecked<1>();
  std::vector<int64_t> result(static_cast<size_t>(values.shape(0)));
  for (size_t i = 0; i < result.size(); ++i) result[i] = values(static_cast<py::ssize_t>(i));
  return result;
}

ClassSet classes_of(const py::object& number_or_names) {
  if (py::isinstance<py::int_>(number_or_names)) return ClassSet::numbered(number_or_names.cast<size_t>());
  return ClassSet::named(number_or_names.cast<std::vector<std::string>>());
}

BudgetSpec budget_of(const std::map<std::string, std::string>& amounts, Relation relation) {
  const auto amount = [&](const char* name) { return parse_positive(amounts.at(name), name); };
  if (amounts.contains("rho")) return BudgetSpec::zcdp(amount("rho"), relation);
  if (!amounts.contains("delta")) return BudgetSpec::pure(amount("epsilon"), relation);
  return BudgetSpec::approximate(amount("epsilon"), amount("delta"), relation);
}

double rounded_up(const Rational& value) {
  const double near = value.get_d();
  return Rational(near) < value ? std::nextafter(near, std::numeric_limits<double>::infinity()) : near;
}

py::object rounded_up(const std::optional<Rational>& value) {
  return value ? py::object(py::float_(rounded_up(*value))) : py::object(py::none());
}

py::object parse_json(const std::string& text) { return py::module_::import("json").attr("loads")(text); }

}  // namespace dppl::python
