// The installed package, as another project uses it: cmake --install into an empty prefix, find_package(dppl), build
// and run the example.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/run_program.h"

namespace dppl {
namespace {

TEST(Install, AnOutsideProgramFindsThePackageAndFits) {
  const std::filesystem::path directory = std::filesystem::path(DPPL_BINARY_DIR) / "install-test";
  std::filesystem::remove_all(directory);
  const std::string prefix = directory / "prefix", build = directory / "build";
  const auto step = [](const std::vector<std::string>& command) {
    const auto result = run_command(command);
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    return result;
  };
  step({"cmake", "--install", DPPL_BINARY_DIR, "--prefix", prefix});
  step({"cmake", "-G", "Ninja", "-S", DPPL_SOURCE_DIR "/examples/fit", "-B", build, "-DCMAKE_PREFIX_PATH=" + prefix,
        "-DCMAKE_CXX_COMPILER=" DPPL_CXX_COMPILER, "-DCMAKE_CXX_FLAGS=" DPPL_SANITIZE_FLAGS});
  step({"cmake", "--build", build});
  const auto example = step({build + "/example"});
  EXPECT_NE(example.out.find("is nearest to: right"), std::string::npos) << example.out;
  const auto program = step({prefix + "/bin/dppl", "--version"});
  EXPECT_FALSE(program.out.empty());
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace dppl
