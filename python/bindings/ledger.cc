#include "dppl/ledger.h"

#include "python/bindings/bindings.h"
#include "python/bindings/convert.h"

namespace dppl::python {
namespace {

py::dict amount_of(const Ledger::Amount& amount, Notion notion) {
  py::dict result;
  result[notion == Notion::zcdp ? "rho" : "epsilon"] = rounded_up(amount.value);
  if (notion == Notion::approximate) result["delta"] = rounded_up(amount.delta);
  return result;
}

py::dict status_of(const Ledger::Status& status) {
  py::dict result;
  result["dataset"] = status.dataset;
  result["unit"] = unit_of(status.total.relation);
  result["total"] = status.total.describe();
  result["notion"] = to_string(status.balance.unit);
  result["limit"] = amount_of(status.balance.limit, status.balance.unit);
  result["spent"] = amount_of(status.balance.spent, status.balance.unit);
  // Of what is left, less is the safe side.
  result["remaining"] = describe(status.balance.unit, status.balance.remaining, Rounding::down);
  return result;
}

py::dict entry_of(const Ledger::Entry& entry) {
  py::dict result;
  result["sequence"] = entry.sequence;
  result["kind"] = to_string(entry.kind);
  result["dataset"] = entry.dataset;
  result["budget"] = entry.budget.describe();
  result["private"] = entry.guarantee.is_private;
  result["purpose"] = entry.purpose;
  result["time"] = entry.time;
  result["model_digest"] = entry.kind == Ledger::Kind::record ? entry.model_digest : "";
  result["digest"] = entry.digest;
  return result;
}

py::list entries_of(const Ledger& ledger) {
  py::list result;
  for (const Ledger::Entry& entry : ledger.contents().entries) result.append(entry_of(entry));
  return result;
}

py::list datasets_of(const Ledger& ledger) {
  py::list result;
  for (const Ledger::Status& status : ledger.contents().datasets) result.append(status_of(status));
  return result;
}

py::dict verify(const Ledger& ledger, const std::optional<std::string>& noted_head) {
  const Ledger::Verification found = ledger.verify(noted_head);
  py::dict result;
  result["whole"] = found.whole();
  result["rows"] = found.rows;
  result["head"] = found.head;
  result["bad_row"] = found.bad_row;
  result["problem"] = found.problem;
  return result;
}

}  // namespace

void bind_ledger(py::module_& module) {
  py::class_<Ledger>(module, "Ledger")
      .def(py::init([](const std::string& path) { return Ledger(path); }), py::arg("path"))
      .def_static(
          "create_dataset",
          [](const std::string& path, const std::string& dataset, const std::map<std::string, std::string>& amounts,
             const std::string& unit) { Ledger::create_dataset(path, dataset, budget_of(amounts, parse_unit(unit))); },
          py::arg("path"), py::arg("dataset"), py::arg("amounts"), py::arg("unit"))
      .def(
          "status", [](const Ledger& ledger, const std::string& dataset) { return status_of(ledger.status(dataset)); },
          py::arg("dataset"))
      .def("datasets", datasets_of)
      .def("entries", entries_of)
      .def("verify", verify, py::arg("noted_head") = py::none());
}

}  // namespace dppl::python
