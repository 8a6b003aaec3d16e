#include "model/class_centers.h"

#include "kernels/row_math.h"

namespace dppl {

std::vector<float> class_centers(const Model& model) {
  const size_t classes = model.classes.size(), dim = model.output_dim(), per_class = model.prototypes_per_class;
  const bool cosine = distance_of(model.settings) == Distance::cosine;
  std::vector<float> centers(classes * dim);
  std::vector<double> sum(dim);
  for (size_t c = 0; c < classes; ++c) {
    std::fill(sum.begin(), sum.end(), 0);
    for (size_t p = 0; p < per_class; ++p) {
      const float* prototype = model.prototypes.data() + (c * per_class + p) * dim;
      const double scale = cosine ? inverse_length(prototype, dim) : 1;
      for (size_t k = 0; k < dim; ++k)
        sum[k] += scale * static_cast<double>(prototype[k]) / static_cast<double>(per_class);
    }
    for (size_t k = 0; k < dim; ++k) centers[c * dim + k] = static_cast<float>(sum[k]);
  }
  return centers;
}

}  // namespace dppl
