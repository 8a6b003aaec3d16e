#pragma once

#include <string>
#include <utility>
#include <vector>

namespace dppl::cli {

// Throws InvalidInput when a file that a command is about to write is one that it reads, or is to be written twice.
// Empty names stand for options that were not given.
void refuse_overwriting(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

// NAME and FILE of an argument NAME=FILE; the name is empty where there is none, and where a file has that whole name.
std::pair<std::string, std::string> split_name(const std::string& argument);

}  // namespace dppl::cli
