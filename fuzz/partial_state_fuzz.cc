#include <cstdlib>

#include "encoders/partial_file.h"

// Any text is thrown away or says how far a run came, consistently.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text = "dppl embed, how far: x\n" + std::string(reinterpret_cast<const char*>(data), size);
  if (const auto state = dppl::parse_partial_state(text, "x")) {
    if (state->rows + state->bad.size() != state->images || state->text_size > text.size()) std::abort();
    if (!state->bad.empty() && state->bad.back() >= state->images) std::abort();
  }
  return 0;
}
