#include "python/bindings/bindings.h"

// The library as Python sees it: dppl._core. python/dppl/ makes of it what people call.
PYBIND11_MODULE(_core, module) {
  using namespace dppl::python;
  module.attr("__version__") = DPPL_VERSION;
  bind_errors(module);
  bind_settings(module);
  bind_privacy(module);
  bind_ledger(module);
  bind_pool(module);
  bind_model(module);
  bind_shards(module);
  bind_fit(module);
  bind_metrics(module);
  bind_audit(module);
  bind_embed(module);
  bind_report(module);
  bind_lab(module);
}
