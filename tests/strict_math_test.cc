// Proofs are for IEEE arithmetic: a build with other rules must not come to an end.
#include <gtest/gtest.h>

#include "support/run_program.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

constexpr std::string_view kMessage = "dppl needs IEEE arithmetic";
// A draw, and what a record becomes.
constexpr const char* kFiles[] = {DPPL_SOURCE_DIR "/src/random/bernoulli.h", DPPL_SOURCE_DIR "/src/kernels/row_math.cc",
                                  DPPL_SOURCE_DIR "/src/rows/check_rows.cc"};

RunResult compile(const std::string& file, const std::vector<std::string>& flags) {
  std::vector<std::string> command{DPPL_CXX_COMPILER, "-std=c++20", "-fsyntax-only", "-I" DPPL_SOURCE_DIR "/src",
                                   "-I" DPPL_SOURCE_DIR "/include"};
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-x", "c++", file});
  return run_command(command);
}

TEST(StrictMath, FastMathDoesNotCompile) {
  std::vector<std::vector<std::string>> refused{{"-ffast-math"}, {"-ffinite-math-only"}, {"-Ofast"}};
#if !defined(__clang__)  // which does not let the preprocessor know
  refused.insert(refused.end(), {{"-funsafe-math-optimizations"},
                                 {"-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"},
                                 {"-freciprocal-math"}});
#endif
  for (const char* file : kFiles) {
    for (const auto& flags : refused) {
      const RunResult result = compile(file, flags);
      EXPECT_NE(result.status, 0) << file << " " << flags[0];
      EXPECT_NE(result.err.find(kMessage), std::string::npos) << file << " " << flags[0] << "\n" << result.err;
    }
    for (const std::vector<std::string>& flags : std::vector<std::vector<std::string>>{{}, {"-O3"}}) {
      const RunResult result = compile(file, flags);
      EXPECT_EQ(result.status, 0) << result.err;
    }
  }
}

// The parts that a compiler does not tell about.
TEST(StrictMath, CMakeRefusesTheFlags) {
  const testing::TempDir dir;
  for (const char* flag : {"-ffast-math", "-O2 -funsafe-math-optimizations", "-freciprocal-math"}) {
    const RunResult result =
        run_command({"cmake", "-G", "Ninja", "-S", DPPL_SOURCE_DIR, "-B", dir.path("build"),
                     "-DCMAKE_CXX_COMPILER=" DPPL_CXX_COMPILER, std::string("-DCMAKE_CXX_FLAGS=") + flag});
    EXPECT_NE(result.status, 0) << flag;
    EXPECT_NE(result.err.find(kMessage), std::string::npos) << result.err;
  }
}

}  // namespace
}  // namespace dppl
