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
  EXPECT_EQ(parsed.at("method"), "mean");
  EXPECT_EQ(parsed.at("records"), 400);
  EXPECT_EQ(parsed.at("smallest_class"), 50);
  EXPECT_EQ(with({"--smallest", "400"}).status, 2);
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
  EXPECT_EQ(fit({"--method", "mean", "--refine-steps", "5", "--rho", "1"}).status, 1);  // without --shrink on
  const auto refined = fit({"--method", "mean", "--transform", "whiten:8:0.2", "--shrink", "on", "--refine-steps", "5",
                            "--tau", "0.05", "--rho", "1"});
  ASSERT_EQ(refined.status, 0) << refined.err;
  EXPECT_EQ(nlohmann::json::parse(refined.out).at("hyperparameters").at("refine_steps"), 5);
  EXPECT_EQ(fit({"--method", "auto", "--refine-steps", "5", "--rho", "1"}).status, 2);
  EXPECT_EQ(fit({"--method", "mean", "--refine-rate", "1", "--rho", "1"}).status, 1);  // of no steps
  // What tuning would overrule is refused, not ignored.
  EXPECT_EQ(fit({"--method", "auto", "--clip-min", "1", "--epsilon", "1"}).status, 2);
  EXPECT_EQ(fit({"--method", "public", "--transform", "auto", "--mechanism", "laplace", "--epsilon", "1"}).status, 2);
  EXPECT_EQ(fit({"--method", "mean", "--transform", "auto", "--tau", "0.1", "--rho", "1"}).status, 2);
}

// Public knowledge about classes, from files: what it changes, and what is refused while it costs nothing.
TEST(FitKnowledge, ComesFromFiles) {
  const TempDir dir;
  const std::string pool = dir.file("p.npy", rows(600, 40)), train = dir.file("x.npy", rows(100, 40));
  const std::string labels = dir.file("y.npy", npy_bytes("|i1", "(100,)", std::string(100, '\1')));
  const std::string examples = dir.file("e.npy", rows(6, 40)), prior = dir.file("c.npy", rows(2, 40));
  const std::string example_labels = dir.file("l.npy", npy_bytes("|i1", "(6,)", std::string("\0\0\1\1\1\1", 6)));
  const std::string wrong = dir.file("w.npy", npy_bytes("|i1", "(6,)", std::string(6, '\2')));
  const auto fit = [&](std::vector<std::string> more) {
    std::vector<std::string> command = {"fit", "--classes", "2", "--pool", pool, "-o", dir.path("m.dppl"), "--json"};
    command.insert(command.end(), more.begin(), more.end());
    return run_program(command);
  };
  const std::vector<std::string> data{"--train", train, "--labels", labels, "--rho", "1"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), data.begin(), data.end());
    return fit(more);
  };
  for (const char* method : {"auto", "mean", "public", "public-k"}) {
    std::vector<std::string> options{"--method", method, "--examples", examples, "--example-labels", example_labels};
    const auto result = with(options);
    ASSERT_EQ(result.status, 0) << method << result.err;
    const auto knowledge = nlohmann::json::parse(result.out).at("public_knowledge");
    EXPECT_EQ(knowledge.at("classes"), 2);
    EXPECT_EQ(knowledge.at("examples"), 6);
  }
  const auto both = with({"--class-prior", prior, "--examples", examples, "--example-labels", example_labels});
  EXPECT_EQ(nlohmann::json::parse(both.out).at("public_knowledge").at("vectors"), 2);
  EXPECT_NE(run_program({"inspect", dir.path("m.dppl")}).out.find("public knowledge"), std::string::npos);
  EXPECT_EQ(with({"--examples", examples}).status, 2);
  EXPECT_EQ(with({"--examples", examples, "--example-labels", wrong}).status, 1);
  EXPECT_EQ(with({"--class-prior", examples}).status, 1);  // six rows for two classes

  const auto alone = fit({"--public-only", "--class-prior", prior});
  ASSERT_EQ(alone.status, 0) << alone.err;
  EXPECT_EQ(nlohmann::json::parse(alone.out).at("guarantee").at("epsilon"), 0);
  EXPECT_EQ(fit({"--public-only"}).status, 2);
  EXPECT_EQ(fit({"--public-only", "--class-prior", prior, "--rho", "1"}).status, 2);
  EXPECT_EQ(fit({"--public-only", "--class-prior", prior, "--train", train}).status, 2);
  EXPECT_EQ(fit({"--rho", "1"}).status, 2);  // no private data
  const auto nothing = fit({"--train", train, "--labels", labels, "--rho", "0"});
  EXPECT_EQ(nothing.status, 1);
  EXPECT_NE(nothing.err.find("--public-only"), std::string::npos) << nothing.err;
}

}  // namespace
}  // namespace dppl
