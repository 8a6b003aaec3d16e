#pragma once

#include <initializer_list>
#include <string>

namespace dppl::cli {

// Throws InvalidInput when a file that a command is about to write is one that it reads, or is to be written twice.
// Empty names stand for options that were not given.
void refuse_overwriting(std::initializer_list<std::string> outputs, std::initializer_list<std::string> inputs);

}  // namespace dppl::cli
