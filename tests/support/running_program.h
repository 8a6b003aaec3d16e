#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace dppl::testing {

// The built command line program while it runs. Waits for some seconds at most, and throws std::runtime_error then.
class RunningProgram {
 public:
  explicit RunningProgram(std::vector<std::string> args);
  ~RunningProgram();  // kills it
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  std::string read_line();  // of standard output, without its end
  std::string err() const;  // standard error so far
  void wait_for_err(const std::string& words) const;
  void signal(int number) const;
  int wait();  // the exit status, or 128 + the signal that ended it

 private:
  TempDir files_;
  pid_t child_ = -1;  // −1: has ended
  int out_ = -1;
  std::string read_;
};

}  // namespace dppl::testing
