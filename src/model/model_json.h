#pragma once

#include <nlohmann/json.hpp>

#include "dppl/model.h"

namespace dppl {

// The settings that shaped a model, by the names that `dppl inspect --json` has for them.
nlohmann::ordered_json hyperparameters_json(const Model& model);

}  // namespace dppl
