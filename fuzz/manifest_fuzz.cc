#include <cstdlib>
#include <cstring>

#include "base/digest.h"
#include "dppl/error.h"
#include "rows/pool_manifest.h"

// Any text is refused with InvalidInput, in one line, or is what would be written for what was read. The digest is put
// right first, so that what lies behind it is reached.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string lines = "dppl pools 1\n" + std::string(reinterpret_cast<const char*>(data), size);
  const std::string text = lines + "digest " + dppl::to_hex(dppl::digest_of(lines)) + "\n";
  try {
    const dppl::PoolManifest manifest = dppl::parse_manifest(text, "fuzz.pools");
    size_t rows = 0;
    for (const auto& shard : manifest.shards) rows += shard.rows;
    if (rows != manifest.rows || manifest.shards.empty()) std::abort();
    if (dppl::to_text(manifest) != text) std::abort();
  } catch (const dppl::InvalidInput& error) {
    if (std::strchr(error.what(), '\n') != nullptr) std::abort();
  }
  return 0;
}
