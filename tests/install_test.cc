// The installed package, as another project uses it: cmake --install into an empty prefix, find_package(dppl), build
// and run the examples.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/run_program.h"

namespace dppl {
namespace {

TEST(Install, ExamplesFindThePackageAndRun) {
  const std::filesystem::path directory = std::filesystem::path(DPPL_BINARY_DIR) / "install-test";
  std::filesystem::remove_all(directory);
  const std::string prefix = directory / "prefix", build = directory / "build";
  const auto step = [](const std::vector<std::string>& command) {
    const auto result = run_command(command);
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    return result;
  };
  step({"cmake", "--install", DPPL_BINARY_DIR, "--prefix", prefix});
  step({"cmake", "-G", "Ninja", "-S", DPPL_SOURCE_DIR "/examples", "-B", build, "-DCMAKE_PREFIX_PATH=" + prefix,
        "-DCMAKE_CXX_COMPILER=" DPPL_CXX_COMPILER, "-DCMAKE_CXX_FLAGS=" DPPL_SANITIZE_FLAGS});
  step({"cmake", "--build", build});
  const auto expect_said = [&](const std::vector<std::string>& command, const std::vector<std::string>& words) {
    const auto result = step(command);
    for (const std::string& word : words) EXPECT_NE(result.out.find(word), std::string::npos) << result.out;
  };
  expect_said({build + "/fit"}, {"is nearest to: right\n", "is nearest to: left\n"});
  expect_said(
      {build + "/ledger", directory / "example.ledger"},
      {"month 1: about 1", "month 2: data set 'clinic': the total of ρ = 1 would be exceeded", "left: ρ = 0.4\n"});
  // The noise moves the mean of 40 by about 0.2.
  expect_said({build + "/mean_age"}, {"mean age about ", "at ρ = 0.5 "});
  const auto program = step({prefix + "/bin/dppl", "--version"});
  EXPECT_FALSE(program.out.empty());
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace dppl
