#pragma once

#include "dppl/model.h"
#include "estimation/pool_posterior.h"

// Softmax regression that starts at the prototypes of the noisy sums and is led by noisy gradients. Means say where a
// class is, gradients where its border with others is. Holds released and public values only; the gradients themselves
// are released by gradient_sum.h, or played by src/tuning.
namespace dppl {

class Refinement {
 public:
  // A record's gradient is (p − y)·xᵀ, p the probabilities of the classes, y its own class, x its row of length 1. It
  // is cut to this length: half of the longest, because the noise is in proportion to it.
  static constexpr double kClip = 0.5;

  // sigma: of the noise in each coordinate of a step's gradient. Steps are so long that the noise of all of them makes
  // how.refine_rate times the length that the weights begin with; but not longer than what converges without noise.
  Refinement(const Posterior& start, const Hyperparameters& how, double sigma);
  // With a zCDP budget for all steps together.
  static double sigma_of(double rho, unsigned steps);

  size_t classes() const { return offsets_.size(); }
  // Class c has the score weights_c·x + offset_c. The offsets say how frequent the classes are, so that the weights do
  // not have to: prototypes() leaves them out, and small classes are as likely as large ones (balanced softmax, Ren et
  // al. 2020).
  std::span<const double> weights() const { return weights_; }  // classes × dim
  std::span<const double> offsets() const { return offsets_; }

  // A noisy sum of the records' gradients (classes × dim).
  void step(std::span<const double> gradient);

  // For Distance::dot.
  std::vector<float> prototypes(double balance) const;

 private:
  std::vector<double> weights_, offsets_;
  double rate_;
};

// Scores of the classes to probabilities, minus 1 for the record's own. A function of this one record.
void softmax_residual(std::span<const float> scores, std::span<const double> offsets, size_t label,
                      std::span<float> residual);

}  // namespace dppl
