#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "support/run_program.h"

// The pages that --help and --help-all print, of every command.
namespace dppl {
namespace {

const std::vector<std::vector<std::string>> kCommands = {
    {},          {"account"},          {"audit"},  {"embed"},          {"eval"},
    {"fit"},     {"inspect"},          {"ledger"}, {"ledger", "init"}, {"longtail"},
    {"predict"}, {"ledger", "verify"}, {"pool"},   {"ledger", "show"}, {"pool", "build"},
    {"report"},  {"pool", "info"},     {"serve"},  {"sweep"},          {"tune"}};

std::string help(std::vector<std::string> command, const std::string& flag) {
  command.push_back(flag);
  const RunResult result = run_program(command);
  EXPECT_EQ(result.status, 0) << result.err;
  return result.out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

size_t characters(const std::string& line) {
  return static_cast<size_t>(std::count_if(line.begin(), line.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

TEST(HelpCommand, FitsOneScreen) {
  for (const auto& command : kCommands) {
    const std::string page = help(command, "--help");
    const std::vector<std::string> lines = lines_of(page);
    EXPECT_LE(lines.size(), 45u) << page;
    for (const std::string& line : lines) EXPECT_LE(characters(line), 100u) << line;
    EXPECT_TRUE(command.empty() || page.find("Example:\n") != std::string::npos) << page;
  }
}

TEST(HelpCommand, CountsTheOptionsThatOnlyHelpAllShows) {
  const std::string common = help({"predict"}, "--help"), all = help({"predict"}, "--help-all");
  EXPECT_EQ(lines_of(common).back(), "--help-all shows 2 more options.");
  for (const char* option : {"--threads", "--show-private-errors", "Other options:"}) {
    EXPECT_EQ(common.find(option), std::string::npos) << common;
    EXPECT_NE(all.find(option), std::string::npos) << all;
  }
  EXPECT_NE(all.find("--in X.npy"), std::string::npos) << all;
  EXPECT_NE(help({"embed"}, "--help-all").find("--rows FIRST:END|ROWS.npy"), std::string::npos);
  EXPECT_EQ(all.find("--help-all shows"), std::string::npos) << all;
  EXPECT_EQ(help({"inspect"}, "--help").find("--help-all"), std::string::npos);
}

TEST(HelpCommand, ShowsEveryCommandWithHelpAll) {
  const std::string all = help({}, "--help-all");
  for (const char* usage : {"Usage: dppl fit", "Usage: dppl ledger verify", "Usage: dppl pool build P.npy"}) {
    EXPECT_NE(all.find(usage), std::string::npos) << usage;
  }
}

TEST(HelpCommand, ShowsBudgetsTogether) {
  const std::string page = help({"ledger", "init"}, "--help");
  const size_t budgets = page.find("The most that may ever be spent (give one):\n");
  ASSERT_NE(budgets, std::string::npos) << page;
  for (const char* option : {"--epsilon E", "--delta D", "--rho R"}) {
    EXPECT_GT(page.find(option), budgets) << option;
    EXPECT_NE(page.find(option), std::string::npos) << option;
  }
}

}  // namespace
}  // namespace dppl
