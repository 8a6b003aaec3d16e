#pragma once

#include "dppl/model.h"

namespace dppl {

// What every model is, in memory and in a file: parts of the sizes that the others ask for, finite values, indices
// inside the pool, and a guarantee that says something and stays within the budget. Throws InvalidInput saying which
// part is wrong.
void check_model(const Model& model);
// The part of it that a classifier relies on: finite, above 0 and at most kMaxScoreScale, or not told.
void check_score_scale(const Model& model);

}  // namespace dppl
