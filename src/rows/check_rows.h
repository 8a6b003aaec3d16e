#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dppl/embeddings.h"

namespace dppl {

// Throws InvalidRecord with the first row (of those chosen, or of all) that has a value which is not finite as
// float32 or that has no value but zeros. One pass over the stored bytes.
void check_rows(const Embeddings& embeddings, const std::optional<std::vector<uint64_t>>& chosen, unsigned threads);

}  // namespace dppl
