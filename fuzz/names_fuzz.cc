#include <cstdlib>

#include "base/text_lines.h"
#include "dppl/embeddings.h"
#include "dppl/error.h"

// Any text is refused with InvalidInput or gives lines that make a class set in which each name is found again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const auto lines = dppl::text_lines({reinterpret_cast<const char*>(data), size}, "fuzz.txt");
    const auto classes = dppl::ClassSet::named({lines.begin(), lines.end()});
    for (size_t i = 0; i < lines.size(); ++i) {
      if (classes.find(lines[i]) != static_cast<int64_t>(i) || classes.name(i) != lines[i]) std::abort();
    }
  } catch (const dppl::InvalidInput&) {
  }
  return 0;
}
