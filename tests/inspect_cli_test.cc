#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dppl/model.h"
#include "support/run_program.h"
#include "support/sample_models.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

const std::string kModel = DPPL_SOURCE_DIR "/tests/data/model_v1.dppl";

TEST(InspectCli, PrintsTheDescription) {
  const RunResult result = run_program({"inspect", kModel});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out, describe_model(load_model(kModel)));
}

TEST(InspectCli, PrintsOneJsonObject) {
  const RunResult result = run_program({"inspect", kModel, "--json"});
  EXPECT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json.at("method"), "public");
  EXPECT_EQ(json.at("guarantee").at("epsilon"), 0.1);
  EXPECT_EQ(json.at("private"), true);
}

TEST(InspectCli, BadFilesExitWithOneAndAreNamed) {
  const testing::TempDir dir;
  std::string bytes = testing::read_text(kModel);
  bytes[bytes.size() / 2] ^= 1;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {dir.path("missing.dppl"), "missing.dppl: cannot open"},
      {dir.file("changed.dppl", bytes), "changed.dppl: was changed or damaged"},
      {dir.file("text.dppl", "hello"), "text.dppl: is not a dppl model"},
  };
  for (const auto& [path, message] : cases) {
    for (const std::vector<std::string>& args :
         {std::vector<std::string>{"inspect", path}, {"inspect", path, "--json"}}) {
      const RunResult result = run_program(args);
      EXPECT_EQ(result.status, 1);
      EXPECT_EQ(result.out, "");
      EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
      EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << "more than one line: " << result.err;
    }
  }
}

TEST(InspectCli, WrongUsageExitsWithTwo) {
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"inspect"}, {"inspect", kModel, kModel}, {"inspect", kModel, "--xml"}}) {
    const RunResult result = run_program(args);
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
  }
}

TEST(InspectCli, HelpShowsAnExample) {
  const RunResult help = run_program({"inspect", "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.out.find("dppl inspect model.dppl"), std::string::npos);
}

}  // namespace
}  // namespace dppl
