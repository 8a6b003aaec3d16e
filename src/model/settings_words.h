#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dppl/model.h"

namespace dppl {

// The settings that shaped a model, name and value, for people.
std::vector<std::pair<std::string, std::string>> settings_in_words(const Model& model);

}  // namespace dppl
