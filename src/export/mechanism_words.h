#pragma once

#include <string>

#include "dppl/model.h"

namespace dppl {

// How a model's releases were made private, in sentences.
std::string mechanism_words(const Model& model);
// How their costs add up to what is stated.
std::string composition_words(const Model& model);

}  // namespace dppl
