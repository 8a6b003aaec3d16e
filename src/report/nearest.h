#pragma once

#include <cstdint>
#include <vector>

#include "dppl/model.h"

namespace dppl {

// For every class the `count` rows of the model's pool that it finds most like the class, nearest first: classes ×
// count, at most as many as there are rows. Of equal ones the earlier.
std::vector<uint64_t> nearest_pool_rows(const Model& model, const PublicData& pool, size_t count, unsigned threads);

}  // namespace dppl
