#pragma once

#include "estimation/pool_posterior.h"

// Softmax regression that starts at the prototypes of the noisy sums and is led by noisy gradients. Means say where a
// class is, gradients where its border with others is. Holds released and public values only; the gradients themselves
// are statistics (src/statistics/gradient_sum).
namespace dppl {

class Refinement {
 public:
  struct Options {
    double rate = 1;
    unsigned steps = 1;
  };
  // start: class means; variances: those of the prior, by which they are compared (prototype_scaling.h). sigma: of the
  // noise in each coordinate of a step's gradient. Steps are so long that the noise of all of them makes `rate` times
  // the length that the weights begin with, but not longer than what converges without noise.
  Refinement(const Posterior& start, std::span<const double> variances, const Options& options, double sigma);

  size_t classes() const { return offsets_.size(); }
  // Where the next gradient is to be taken: class c has the score weights_c·x + offset_c. The offsets say how frequent
  // the classes are, so that the weights do not have to: prototypes() leaves them out, and small classes are as likely
  // as large ones (balanced softmax, Ren et al. 2020).
  std::span<const double> weights() const { return ahead_; }  // classes × dim
  std::span<const double> offsets() const { return offsets_; }

  // A noisy sum of the records' gradients (classes × dim). With momentum (Nesterov), which costs nothing: directions in
  // which gradients agree are followed further, noise is averaged.
  void step(std::span<const double> gradient);

  // For Distance::dot. tau: each class is divided by its frequency to this power. Small classes have seen fewer
  // gradients, and their weights stay shorter than they should be.
  std::vector<float> prototypes(double tau) const;

 private:
  std::vector<double> weights_, velocity_, ahead_, offsets_;
  double rate_;
};

}  // namespace dppl
