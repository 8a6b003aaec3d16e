#pragma once

#include <vector>

#include "dppl/class_knowledge.h"
#include "dppl/transform.h"

namespace dppl {

// Where class means are publicly known to lie.
struct KnownDirections {
  std::vector<double> directions;  // per class of unit length (classes × dim); zeros where nothing is known
  std::vector<size_t> examples;    // how many each is made of

  // Each as long as its cosine with the mean of its class is expected to be. One example has c = 1/√(1 +
  // prior_variance), as the atoms of the pool have (pool_posterior.h). What examples have besides the mean points
  // anywhere, so that m of them together are m·c long in the direction of the mean and √(m·(1 − c²)) beside it: their
  // cosine is √(m/(m + prior_variance)).
  std::vector<double> expected_means(double prior_variance) const;
};

// Examples are seen as records are, each of unit length, and added up. A vector of the class prior counts as one more
// example. Such vectors may all lie beside those of the records (texts beside images): so they are centred on their own
// mean, as records are on theirs, wherever there are enough of them to have one.
KnownDirections known_directions(const ClassKnowledge& knowledge, const PublicTransform& transform);

}  // namespace dppl
