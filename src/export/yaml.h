#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace dppl {

// As YAML: one key per line, texts of several lines as blocks, all others in quotes. Numbers are written so that
// YAML 1.1 reads numbers.
std::string to_yaml(const nlohmann::ordered_json& value);

}  // namespace dppl
