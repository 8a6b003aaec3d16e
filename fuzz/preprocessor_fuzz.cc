#include <cstdlib>

#include "dppl/error.h"
#include "encoders/preprocessing.h"

// Any text is refused with InvalidInput or describes sizes that an image can have.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const auto how = dppl::Preprocessing::parse({reinterpret_cast<const char*>(data), size}, "fuzz.json");
    if (const auto seen = how.seen(); seen && (seen->width == 0 || seen->height == 0)) std::abort();
    if (how.shorter && *how.shorter == 0) std::abort();
  } catch (const dppl::InvalidInput&) {
  }
  return 0;
}
