#include <cstdlib>
#include <cstring>

#include "dppl/error.h"
#include "dppl/sweep.h"

// Any text is refused with InvalidInput, in one line, or is a plan that names what it runs.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const auto plan = dppl::parse_plan({reinterpret_cast<const char*>(data), size}, "fuzz.toml");
    if (plan.data.empty() || plan.methods.empty() || plan.rho.empty() || plan.data.front().ratios.empty() ||
        plan.seeds.empty())
      std::abort();
    for (const auto& map : plan.maps) {
      if (map.method >= plan.methods.size()) std::abort();
    }
  } catch (const dppl::InvalidInput& error) {
    if (std::strchr(error.what(), '\n') != nullptr) std::abort();
  }
  return 0;
}
