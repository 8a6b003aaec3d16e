#include "dppl/audit.h"

#include "python/bindings/bindings.h"
#include "python/bindings/convert.h"
#include "python/bindings/interruptible.h"

namespace dppl::python {
namespace {

py::dict row_of(const AuditResult& result) {
  py::dict row;
  row["name"] = result.name;
  row["measure"] = to_string(result.measure);
  row["claim"] = rounded_up(result.claim);
  row["delta"] = rounded_up(result.delta);
  row["lower_bound"] = result.lower_bound;
  row["trials"] = result.trials;
  row["planted"] = result.planted;
  row["refuted"] = result.refuted();
  row["neighbours"] = result.neighbours;
  return row;
}

py::list run(const std::string& mechanism, uint64_t trials, uint64_t fits, double confidence, bool planted,
             bool end_to_end, unsigned threads) {
  AuditOptions options{.trials = trials,
                       .confidence = confidence,
                       .mechanism = mechanism,
                       .planted = planted,
                       .end_to_end = end_to_end,
                       .fits = fits,
                       .threads = threads,
                       .progress = {}};
  const std::vector<AuditResult> results = unless_interrupted(interruptible(py::none(), [&](Work& work) {
    work.say_when_interrupted("the audit was not finished");
    options.progress = [&](const std::string&) { work.check(); };
    return audit(options);
  }));
  py::list rows;
  for (const AuditResult& result : results) rows.append(row_of(result));
  return rows;
}

}  // namespace

void bind_audit(py::module_& module) {
  module.def("audit_names", audit_names);
  module.def("audit", run, py::kw_only(), py::arg("mechanism"), py::arg("trials"), py::arg("fits"),
             py::arg("confidence"), py::arg("planted"), py::arg("end_to_end"), py::arg("threads"));
}

}  // namespace dppl::python
