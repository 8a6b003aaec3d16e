#include <exception>

#include "dppl/error.h"
#include "dppl/invalid_record.h"
#include "dppl/shards.h"
#include "python/bindings/bindings.h"

// Errors as Python's users know them: what cannot be used is a ValueError, what the operating system refuses an
// OSError.
namespace dppl::python {
namespace {

namespace py = pybind11;

// Whether messages tell which record is refused and what it holds: for the curator's eyes alone.
bool private_errors_shown = false;

}  // namespace

void bind_errors(py::module_& module) {
  static const py::handle exceeded =
      py::exception<BudgetExceeded>(module, "BudgetExceeded", PyExc_RuntimeError).release();
  static const py::handle out_of_step =
      py::exception<ShardOutOfStep>(module, "ShardOutOfStep", PyExc_ValueError).release();
  // Translators are asked from the last to the first registered one; this one knows every kind.
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const BudgetExceeded& error) {
      PyErr_SetString(exceeded.ptr(), error.what());
    } catch (const IoError& error) {
      PyErr_SetString(PyExc_OSError, error.what());
    } catch (const ShardOutOfStep& error) {
      PyErr_SetString(out_of_step.ptr(), error.what());
    } catch (const InvalidRecord& error) {
      std::string said = error.what();
      if (private_errors_shown) said += ": " + error.private_detail();
      PyErr_SetString(PyExc_ValueError, said.c_str());
    } catch (const Error& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    }
  });
  module.def("show_private_errors", [](bool shown) { return std::exchange(private_errors_shown, shown); });
}

}  // namespace dppl::python
