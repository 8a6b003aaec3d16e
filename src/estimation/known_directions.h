#pragma once

#include <vector>

#include "dppl/class_knowledge.h"
#include "dppl/transform.h"

namespace dppl {

// Per class the direction in which its mean is publicly known to lie, of unit length (classes × output_dim); zeros
// where nothing is known. Examples are seen as records are, each of unit length, and added up. A vector of the class
// prior counts as one more example. Such vectors may all lie beside those of the records (texts beside images): so they
// are centred on their own mean, as records are on theirs, wherever there are enough of them to have one.
std::vector<double> known_directions(const ClassKnowledge& knowledge, const PublicTransform& transform);

}  // namespace dppl
