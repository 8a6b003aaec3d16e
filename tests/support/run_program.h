#pragma once

#include <string>
#include <vector>

namespace dppl {

struct RunResult {
  int status;  // the exit status, or 128 + the signal that ended the program
  std::string out, err;
};

// Runs the built command line program with these arguments and an empty standard input. No shell is involved, so an
// argument may hold anything. Throws std::system_error when the program cannot be started.
RunResult run_program(std::vector<std::string> args);

// The same for any command, looked up on the path.
RunResult run_command(std::vector<std::string> command);

}  // namespace dppl
