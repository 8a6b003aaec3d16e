#pragma once

#include <vector>

#include "dppl/model.h"

namespace dppl {

// Per class one vector in the transformed space (output_dim() values): the mean of its unit prototypes (cosine), or of
// its prototypes (dot). A row's similarity to a class is its product with that vector, once the row has been
// transformed and brought to unit length.
std::vector<float> class_centers(const Model& model);

}  // namespace dppl
