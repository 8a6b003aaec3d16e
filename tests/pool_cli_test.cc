#include <gtest/gtest.h>

#include <filesystem>
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
  for (const char* command : {"build", "commit", "info"}) {
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
           {{"pool", "build", source, "-o", output, "--shard", "0/3"}, "i/N"},
           {{"pool", "build", source, "-o", output, "--shard", "1/51"}, "at most 50"},
           {{"pool", "build", source, source, "-o", source}, "is an input"},
           {{"pool", "commit", source, "-o", output}, "is not a pool file"},
           {{"pool", "commit", dir.path("none.pool"), "-o", output}, "none.pool"},
           {{"pool", "info", source}, "is not a pool file"}}) {
    const auto result = run_program(args);
    EXPECT_EQ(result.status, 1) << words;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(dir.entries(), before);
  }
}

// Shards, each made by a command of its own, are one pool for every command that takes one.
TEST(PoolCommand, ShardsAreAPool) {
  const TempDir dir;
  const std::string source = dir.file("p.npy", rows(300, 8, 1)), whole = dir.path("p.pool"),
                    pools = dir.path("p.pools");
  dir.file("x.npy", rows(40, 8, 2));
  dir.file("y.npy", npy_bytes("|u1", "(40,)", std::string(20, '\0') + std::string(20, '\1')));
  ASSERT_EQ(run_program({"pool", "build", source, "-o", whole, "--transform", "whiten:3"}).status, 0);
  std::vector<std::string> commit{"pool", "commit"};
  for (int i = 1; i <= 3; ++i) {
    commit.push_back(dir.path("part-" + std::to_string(i) + ".pool"));
    const auto built = run_program({"pool", "build", source, "-o", commit.back(), "--transform", "whiten:3", "--shard",
                                    std::to_string(i) + "/3", "--json"});
    ASSERT_EQ(built.status, 0) << built.err;
    EXPECT_EQ(run_program({"pool", "info", commit.back(), "--json"}).out, built.out);
    EXPECT_EQ(nlohmann::json::parse(built.out).at("total_rows"), 300);
  }
  const auto text = run_program({"pool", "info", dir.path("part-2.pool")}).out;
  EXPECT_NE(text.find("shard      rows 100 to 200 of 300"), std::string::npos) << text;
  std::vector<std::string> incomplete = commit;
  incomplete.erase(incomplete.begin() + 2);
  for (std::vector<std::string>* command : {&commit, &incomplete})
    command->insert(command->end(), {"-o", pools, "--json"});
  const auto refused = run_program(incomplete);
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("rows 0 to 100 are missing"), std::string::npos) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(pools));
  const auto committed = run_program(commit);
  ASSERT_EQ(committed.status, 0) << committed.err;
  EXPECT_EQ(run_program({"pool", "info", pools, "--json"}).out, committed.out);
  const auto json = nlohmann::json::parse(committed.out);
  EXPECT_EQ(json.at("digest"), nlohmann::json::parse(run_program({"pool", "info", whole, "--json"}).out).at("digest"));
  EXPECT_EQ(json.at("shards").size(), 3u);
  EXPECT_EQ(json.at("shards")[1].at("file"), "part-2.pool");
  EXPECT_NE(run_program({"pool", "info", pools}).out.find("in 3 shards"), std::string::npos);
  EXPECT_EQ(run_program({"pool", "commit", "-o", pools}).status, 2);
  EXPECT_EQ(run_program({"pool", "commit", pools, "-o", pools}).status, 1);

  for (const std::string method : {"public", "public-k", "mean", "auto"}) {
    std::string bytes[2];
    for (const bool shards : {false, true}) {
      const std::string model = dir.path("m.dppl");
      const auto fit = run_program({"fit", "--method", method, "--train", dir.path("x.npy"), "--labels",
                                    dir.path("y.npy"), "--classes", "2", "--pool", shards ? pools : whole, "--rho",
                                    "0.5", "--seed", "7", "--not-private", "-o", model});
      ASSERT_EQ(fit.status, 0) << fit.err;
      bytes[shards] = testing::read_text(model);
      EXPECT_EQ(run_program({"inspect", model, "--pool", shards ? whole : pools}).status, 0);
    }
    EXPECT_EQ(bytes[0], bytes[1]) << method;
  }
  const auto tune = [&](const std::string& pool) {
    return run_program({"tune", "--pool", pool, "--classes", "2", "--records", "40", "--rho", "0.5"});
  };
  EXPECT_EQ(tune(pools).status, 0) << tune(pools).err;
  EXPECT_EQ(tune(pools).out, tune(whole).out);
  const auto part = tune(dir.path("part-1.pool"));
  EXPECT_EQ(part.status, 1);
  EXPECT_NE(part.err.find("is a shard"), std::string::npos) << part.err;
}

// Killed at any moment: a shard is there, whole, or is not; the same commands lead to the same pool in the end.
TEST(PoolCommand, ShardsSurviveKills) {
  const TempDir dir;
  const std::string source = dir.file("p.npy", rows(60000, 256, 1)), whole = dir.path("p.pool"),
                    pools = dir.path("p.pools");
  ASSERT_EQ(run_program({"pool", "build", source, "-o", whole}).status, 0);
  std::vector<std::string> commit{"pool", "commit", "-o", pools};
  const size_t before = dir.entries();
  for (int i = 1; i <= 2; ++i) {
    const std::string part = dir.path("part-" + std::to_string(i) + ".pool");
    commit.push_back(part);
    for (const char* seconds : {"0.01", "0.03", "0.06", "0.1", "0.2"}) {
      run_command({"timeout", "--signal=KILL", seconds, DPPL_PROGRAM, "pool", "build", source, "-o", part, "--shard",
                   std::to_string(i) + "/2"});
      EXPECT_TRUE(!std::filesystem::exists(part) || run_program({"pool", "info", part}).status == 0);
    }
    ASSERT_EQ(run_program({"pool", "build", source, "-o", part, "--shard", std::to_string(i) + "/2"}).status, 0);
  }
  for (const char* seconds : {"0.01", "0.03", "0.1"}) {
    std::vector<std::string> killed{"timeout", "--signal=KILL", seconds, DPPL_PROGRAM};
    killed.insert(killed.end(), commit.begin(), commit.end());
    run_command(killed);
    EXPECT_TRUE(!std::filesystem::exists(pools) || run_program({"pool", "info", pools}).status == 0);
  }
  const auto committed = run_program(commit);
  ASSERT_EQ(committed.status, 0) << committed.err;
  const std::filesystem::directory_iterator entries(dir.path(""));
  EXPECT_EQ(static_cast<size_t>(
                std::count_if(begin(entries), end(entries),
                              [](const auto& entry) { return !entry.path().filename().string().starts_with("."); })),
            before + 3);
  const auto digest = [](const std::string& path) {
    return nlohmann::json::parse(run_program({"pool", "info", path, "--json"}).out).at("digest");
  };
  EXPECT_EQ(digest(pools), digest(whole));
}

TEST(PoolCommand, SeveralFilesAreOneSourceAndNothingIsDoneTwice) {
  const TempDir dir;
  const std::string all = rows(50, 8, 1), values = all.substr(all.size() - 400);
  dir.file("p.npy", all);
  const std::string first = dir.file("a.npy", npy_bytes("|i1", "(20, 8)", values.substr(0, 160))),
                    second = dir.file("b.npy", npy_bytes("|i1", "(30, 8)", values.substr(160)));
  ASSERT_EQ(run_program({"pool", "build", dir.path("p.npy"), "-o", dir.path("p.pool")}).status, 0);
  const std::vector<std::string> build{"pool", "build", first, second, "-o", dir.path("q.pool")};
  const auto once = run_program(build), twice = run_program(build);
  ASSERT_EQ(once.status, 0) << once.err;
  EXPECT_EQ(once.err, "");
  EXPECT_EQ(testing::read_text(dir.path("q.pool")), testing::read_text(dir.path("p.pool")));
  EXPECT_EQ(twice.status, 0);
  EXPECT_EQ(twice.out, once.out);
  EXPECT_NE(twice.err.find("q.pool: is there already"), std::string::npos) << twice.err;
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
