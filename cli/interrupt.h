#pragma once

#include <string>

namespace dppl::cli {

// From now on Ctrl-C (and a request to terminate) prints "dppl: interrupted; <state>" and ends the program as that
// signal does. Unfinished files have no name yet, so nothing is left of them.
void say_when_interrupted(const std::string& state);

}  // namespace dppl::cli
