#include "support/run_program.h"

#include <gtest/gtest.h>

namespace dppl {
namespace {

TEST(RunProgram, KeepsTheStreamsApart) {
  const RunResult version = run_program({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_NE(version.out, "");
  EXPECT_EQ(version.err, "");

  const RunResult nonsense = run_program({"; echo a shell took part"});
  EXPECT_EQ(nonsense.status, 2);
  EXPECT_EQ(nonsense.out, "");
  EXPECT_NE(nonsense.err, "");
}

}  // namespace
}  // namespace dppl
