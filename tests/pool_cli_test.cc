#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/npy_bytes.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using testing::npy_bytes;
using testing::TempDir;

// int8 rows, cheap to make.
std::string rows(size_t count, size_t dim, unsigned seed) {
  std::string bytes(count * dim, '\0');
  for (char& byte : bytes) byte = static_cast<char>((seed = seed * 1664525 + 1013904223) >> 24);
  return npy_bytes("|i1", "(" + std::to_string(count) + ", " + std::to_string(dim) + ")", bytes);
}

TEST(PoolCommand, BuildsAndTells) {
  const TempDir dir;
  dir.file("p.npy", rows(50, 8, 1));
  const std::string pool = dir.path("p.pool");
  const auto build = run_program({"pool", "build", dir.path("p.npy"), "-o", pool, "--transform", "pca:3", "--json"});
  EXPECT_EQ(build.status, 0) << build.err;
  const auto info = run_program({"pool", "info", pool, "--json"});
  EXPECT_EQ(info.status, 0) << info.err;
  EXPECT_EQ(info.out, build.out);
  const auto json = nlohmann::json::parse(info.out);
  EXPECT_EQ(json.at("rows"), 50);
  EXPECT_EQ(json.at("dim"), 3);
  EXPECT_EQ(json.at("transform"), "pca:3");
  EXPECT_NE(run_program({"pool", "info", pool}).out.find("50 public rows"), std::string::npos);
  EXPECT_EQ(run_program({"pool"}).status, 2);
  EXPECT_EQ(run_program({"pool", "build", dir.path("p.npy")}).status, 2);
  for (const char* command : {"build", "info"}) {
    EXPECT_NE(run_program({"pool", command, "--help"}).out.find("Example"), std::string::npos);
  }
}

TEST(PoolCommand, RefusesInOneLineAndWritesNothing) {
  const TempDir dir;
  const std::string source = dir.file("p.npy", rows(50, 8, 1)),
                    empty = dir.file("e.npy", npy_bytes("|i1", "(0, 8)", ""));
  const std::string output = dir.path("p.pool");
  const size_t before = dir.entries();
  for (const auto& [args, words] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"pool", "build", dir.path("none.npy"), "-o", output}, "none.npy"},
           {{"pool", "build", empty, "-o", output}, "has no rows"},
           {{"pool", "build", source, "-o", output, "--transform", "raw"}, "raw"},
           {{"pool", "build", source, "-o", output, "--transform", "whiten:9"}, "whiten:9"},
           {{"pool", "build", source, "-o", dir.path("no/where.pool")}, "where.pool"},
           {{"pool", "info", source}, "is not a pool file"}}) {
    const auto result = run_program(args);
    EXPECT_EQ(result.status, 1) << words;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(dir.entries(), before);
  }
}

TEST(PoolCommand, AModelKnowsItsPool) {
  const TempDir dir;
  dir.file("x.npy", rows(40, 8, 2));
  dir.file("y.npy", npy_bytes("|u1", "(40,)", std::string(40, '\0')));
  const std::string source = dir.file("p.npy", rows(50, 8, 1)), other = dir.file("q.npy", rows(50, 8, 9));
  const std::string pool = dir.path("p.pool"), model = dir.path("m.dppl");
  EXPECT_EQ(run_program({"pool", "build", source, "-o", pool}).status, 0);
  const auto fit = run_program({"fit", "--method", "public", "--train", dir.path("x.npy"), "--labels",
                                dir.path("y.npy"), "--classes", "1", "--pool", pool, "--epsilon", "1", "-o", model});
  EXPECT_EQ(fit.status, 0) << fit.err;
  EXPECT_EQ(run_program({"inspect", model, "--pool", pool}).status, 0);
  EXPECT_EQ(run_program({"pool", "build", other, "-o", pool}).status, 0);
  const auto changed = run_program({"inspect", model, "--pool", pool});
  EXPECT_EQ(changed.status, 1);
  EXPECT_NE(changed.err.find("was changed since"), std::string::npos) << changed.err;
}

// Interrupted while it chooses: the reservation is named and stays, nothing is left behind.
TEST(PoolCommand, CtrlCLeavesNoFileAndSaysWhatIsReserved) {
  const TempDir dir;
  dir.file("x.npy", rows(20000, 512, 2));
  dir.file("y.npy", npy_bytes("|u1", "(20000,)", std::string(20000, '\0')));
  dir.file("p.npy", rows(40000, 512, 1));
  const std::string ledger = dir.path("ledger");
  EXPECT_EQ(run_program({"ledger", "init", "--ledger", ledger, "--dataset", "scans", "--rho", "1"}).status, 0);
  const size_t before = dir.entries();
  const auto result = run_command({"timeout",
                                   "--signal=INT",
                                   "1",
                                   DPPL_PROGRAM,
                                   "fit",
                                   "--method",
                                   "public-k",
                                   "--train",
                                   dir.path("x.npy"),
                                   "--labels",
                                   dir.path("y.npy"),
                                   "--classes",
                                   "1",
                                   "--pool",
                                   dir.path("p.npy"),
                                   "--rho",
                                   "0.5",
                                   "--clip-min",
                                   "1.2",
                                   "--clip-max",
                                   "1.6",
                                   "--ledger",
                                   ledger,
                                   "--dataset",
                                   "scans",
                                   "-o",
                                   dir.path("m.dppl")});
  if (result.status == 0) GTEST_SKIP() << "this machine is done within a second";
  EXPECT_EQ(result.status, 124) << result.err;
  EXPECT_EQ(dir.entries(), before);
  const auto show = run_program({"ledger", "show", "--ledger", ledger});
  const bool reserved = show.out.find("0.5") != std::string::npos;
  // The signal may come while the ledger writes.
  const bool said =
      result.err.find("ρ = 0.5 may be reserved for scans") != std::string::npos ||
      result.err.find(reserved ? "ρ = 0.5 stays reserved for scans" : "nothing was spent") != std::string::npos;
  EXPECT_TRUE(said) << result.err << show.out;
}

}  // namespace
}  // namespace dppl
