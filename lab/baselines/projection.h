#pragma once

#include "dppl/baselines.h"
#include "lab/baselines/noise.h"

// A linear projection trained with privacy, before prototypes are made in its space (the appendix of the DPPL paper,
// after Snell et al. 2017).
namespace dppl {

// Settings of the training, for the methods that build on it.
BaselineSettings projection_settings();

struct Projection {
  std::vector<float> matrix;  // dim × input dimension
  size_t dim = 0;

  // Rows projected and scaled to length 1.
  std::vector<float> apply(std::span<const float> rows, size_t input_dim, unsigned threads) const;
};
// By cosine to prototypes in the projection's space.
LinearClassifier nearest_projected(Projection projection, size_t input_dim, std::vector<double> prototypes);

// Spends setting "share" of the budget; adds "loss" to the trace.
Projection train_projection(const BaselineInput& input, Account& account, SeededRandom& random,
                            std::vector<double>& losses);

// Σ factor·∂loss/∂P over all records, with every record's gradient cut to `clip`. projection: dim × input dimension;
// prototypes: released points of the input space. The loss of a record is that of a softmax over scale·(Px)·(Pm_c).
struct ProjectionGradient {
  std::vector<double> sum;
  std::vector<float> norms, losses;  // for each record, before clipping
};
ProjectionGradient projection_gradient(const LabelledRows& rows, std::span<const double> projection,
                                       std::span<const double> prototypes, double scale, double clip, unsigned threads);

}  // namespace dppl
