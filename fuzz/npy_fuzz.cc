#include <cstdlib>

#include "dppl/error.h"
#include "rows/npy.h"

// Any bytes are refused with InvalidInput or give an array that ends where the file ends; or texts.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  try {
    const dppl::NpyArray array = dppl::parse_npy(file, "fuzz.npy");
    if (array.data.data() + array.data.size() != file.data() + file.size()) std::abort();
    const std::vector<int64_t> values = dppl::integers_of(array, "fuzz.npy");
    if (values.size() * dppl::item_size(array.dtype) != array.data.size()) std::abort();
  } catch (const dppl::InvalidInput&) {
  }
  try {
    // Nothing is made of a claim alone: every text takes room in the file.
    const auto texts = dppl::texts_of(file, "fuzz.npy");
    if (texts && texts->size() > size) std::abort();
  } catch (const dppl::InvalidInput&) {
  }
  return 0;
}
