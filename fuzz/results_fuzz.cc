#include <cstdlib>

#include "dppl/error.h"
#include "dppl/sweep.h"

// Any text is refused with InvalidInput or gives rows that are written and read back the same, and can be described.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto refused_or = [](std::string_view text) {
    const auto rows = dppl::parse_results(text, "fuzz.csv");
    const std::string csv = dppl::results_csv(rows);
    if (dppl::results_csv(dppl::parse_results(csv, "again.csv")) != csv) std::abort();
    dppl::describe_results(rows);
  };
  // Behind a right header too, which would take long to find.
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const std::string& one : {text, dppl::results_csv({}) + text}) {
    try {
      refused_or(one);
    } catch (const dppl::InvalidInput&) {
    }
  }
  return 0;
}
