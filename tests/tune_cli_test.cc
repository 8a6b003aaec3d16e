#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "support/npy_bytes.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using testing::npy_bytes;
using testing::TempDir;

// Clouds around a few of the axes.
std::string rows(size_t count, size_t dim) {
  std::string bytes(count * dim, '\0');
  unsigned seed = 1;
  for (size_t i = 0; i < bytes.size(); ++i) {
    seed = seed * 1664525 + 1013904223;
    const bool axis = i % dim == (i / dim * 7) % dim;
    bytes[i] = static_cast<char>(static_cast<int>(seed >> 26) - 32 + (axis ? 80 : 0));
  }
  return npy_bytes("|i1", "(" + std::to_string(count) + ", " + std::to_string(dim) + ")", bytes);
}

TEST(TuneCommand, ExplainsItsChoice) {
  const TempDir dir;
  const std::string pool = dir.file("p.npy", rows(1500, 40));
  const std::vector<std::string> command = {"tune",      "--pool", pool,    "--classes", "8",
                                            "--records", "400",    "--rho", "0.1"};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), command.begin(), command.end());
    return run_program(more);
  };
  const auto brief = with({}), whole = with({"--explain"}), json = with({"--json"});
  ASSERT_EQ(brief.status, 0) << brief.err;
  ASSERT_EQ(json.status, 0) << json.err;
  EXPECT_NE(brief.out.find("chosen"), std::string::npos);
  EXPECT_GT(whole.out.size(), brief.out.size());
  const auto parsed = nlohmann::json::parse(json.out);
  EXPECT_EQ(parsed.at("pseudo_classes"), 8);
  EXPECT_EQ(parsed.at("records_per_class"), 50);
  EXPECT_EQ(parsed.at("chosen"), parsed.at("trials").at(0));
  EXPECT_NE(run_program({"tune", "--help"}).out.find("Example"), std::string::npos);
  EXPECT_EQ(run_program({"tune", "--pool", pool}).status, 2);
}

TEST(TuneCommand, RefusesASmallPool) {
  const TempDir dir;
  const std::string pool = dir.file("p.npy", rows(60, 8));
  const auto result = run_program({"tune", "--pool", pool, "--classes", "8", "--rho", "0.1"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("too small"), std::string::npos) << result.err;
}

TEST(TuneCommand, ATransformCanBeLeftToIt) {
  const TempDir dir;
  setenv("XDG_CACHE_HOME", dir.path("cache").c_str(), 1);  // the user's own stays out of it
  const std::string pool = dir.file("p.npy", rows(1500, 40)), train = dir.file("x.npy", rows(100, 40));
  const std::string labels = dir.file("y.npy", npy_bytes("|i1", "(100,)", std::string(100, '\1')));
  const auto fit = [&](std::vector<std::string> more) {
    std::vector<std::string> command = {"fit",    "--train", train, "--labels",         labels,  "--classes", "2",
                                        "--pool", pool,      "-o",  dir.path("m.dppl"), "--json"};
    command.insert(command.end(), more.begin(), more.end());
    return run_program(command);
  };
  const auto chosen = fit({"--method", "public", "--transform", "auto", "--epsilon", "1"});
  ASSERT_EQ(chosen.status, 0) << chosen.err;
  const auto json = nlohmann::json::parse(chosen.out);
  EXPECT_EQ(json.at("method"), "public");
  EXPECT_NE(json.at("hyperparameters").at("transform"), "none");
  // A threshold is a range a millionth wide.
  const auto threshold = fit({"--method", "public", "--threshold", "1.5", "--epsilon", "1"});
  ASSERT_EQ(threshold.status, 0) << threshold.err;
  EXPECT_NEAR(nlohmann::json::parse(threshold.out).at("hyperparameters").at("clip_max").get<double>(), 1.500001, 1e-9);
  EXPECT_EQ(fit({"--method", "public", "--threshold", "1.5", "--clip-min", "1", "--epsilon", "1"}).status, 1);
  EXPECT_EQ(fit({"--method", "mean", "--lift", "0.5", "--rho", "1"}).status, 1);
  EXPECT_EQ(fit({"--method", "mean", "--refine-steps", "5", "--rho", "1"}).status, 1);  // without --shrink on
  const auto refined = fit({"--method", "mean", "--transform", "whiten:8:0.2", "--shrink", "on", "--refine-steps", "5",
                            "--balance", "0.05", "--rho", "1"});
  ASSERT_EQ(refined.status, 0) << refined.err;
  EXPECT_EQ(nlohmann::json::parse(refined.out).at("hyperparameters").at("refine_steps"), 5);
  EXPECT_EQ(fit({"--method", "auto", "--refine-steps", "5", "--rho", "1"}).status, 2);
  EXPECT_EQ(fit({"--method", "mean", "--refine-rate", "1", "--rho", "1"}).status, 1);  // of no steps
  // What tuning would overrule is refused, not ignored.
  EXPECT_EQ(fit({"--method", "auto", "--clip-min", "1", "--epsilon", "1"}).status, 2);
  EXPECT_EQ(fit({"--method", "public", "--transform", "auto", "--mechanism", "laplace", "--epsilon", "1"}).status, 2);
  EXPECT_EQ(fit({"--method", "mean", "--transform", "auto", "--lift", "0.1", "--rho", "1"}).status, 2);
}

}  // namespace
}  // namespace dppl
