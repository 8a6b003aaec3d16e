#include <cstdlib>

#include "base/digest.h"
#include "encoders/shard_record.h"

// Any text is thrown away or is what would be written for what was read.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string lines = "dppl embed shard 1\n" + std::string(reinterpret_cast<const char*>(data), size);
  const std::string text = lines + "digest " + dppl::to_hex(dppl::digest_of(lines)) + "\n";
  if (const auto record = dppl::ShardRecord::parse(text)) {
    if (record->to_text() != text) std::abort();
    if (record->fits(100) && !record->bad.empty() && record->bad.back() >= 100) std::abort();
  }
  return 0;
}
