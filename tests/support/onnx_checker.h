#pragma once

#include <gtest/gtest.h>

#include <string>

#include "support/run_program.h"

namespace dppl::testing {

// Debian's python3-onnx, with the Python that it was packaged for.
inline RunResult run_onnx_python(const std::string& script, const std::vector<std::string>& arguments = {}) {
  std::vector<std::string> command{"/usr/bin/python3", "-c", script};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_command(command);
}

inline bool has_onnx_checker() { return run_onnx_python("import onnx").status == 0; }

// The newest operators that it knows: 17 of ONNX 1.12.
inline int newest_checked_opset() {
  return std::stoi(run_onnx_python("import onnx; print(onnx.defs.onnx_opset_version())").out);
}

// Well-formed, and every shape follows from the others.
inline void expect_passes_full_check(const std::string& path) {
  const RunResult result = run_onnx_python(
      "import onnx, sys\n"
      "onnx.checker.check_model(onnx.load(sys.argv[1]), full_check=True)\n"
      "onnx.checker.check_model(sys.argv[1])\n",
      {path});
  EXPECT_EQ(result.status, 0) << path << ": " << result.err;
}

}  // namespace dppl::testing

// First line of a test that checks files with it.
#define DPPL_NEEDS_ONNX_CHECKER()         \
  if (!dppl::testing::has_onnx_checker()) \
  GTEST_SKIP() << "without Debian's python3-onnx: scripts/setup.sh --test installs it"
