#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dppl/privacy.h"
#include "support/run_program.h"

namespace dppl {
namespace {

using Json = nlohmann::json;

RunResult account(std::vector<std::string> args) {
  args.insert(args.begin(), "account");
  return run_program(std::move(args));
}

Json account_json(std::vector<std::string> args) {
  args.push_back("--json");
  const RunResult result = account(std::move(args));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return Json::parse(result.out);
}

// The value behind a label of the table; empty when there is no such line.
std::string row(const std::string& table, const std::string& label) {
  const size_t start = table.find("\n" + label + "  ");
  if (start == std::string::npos) return "";
  const size_t value = table.find_first_not_of(' ', start + 1 + label.size());
  return table.substr(value, table.find('\n', value) - value);
}

std::string exact(const Json& number) { return number.at("exact").get<std::string>(); }

TEST(AccountCli, PrintsEveryNotion) {
  const RunResult result = account({"--epsilon", "1", "--mechanism", "exponential", "--at-delta", "1e-7"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(row(result.out, "pure ε"), "1");
  EXPECT_EQ(row(result.out, "bounded range"), "1");
  EXPECT_EQ(row(result.out, "ρ-zCDP"), "0.125");
  EXPECT_EQ(row(result.out, "μ-GDP"), "1.23204");
  EXPECT_EQ(row(result.out, "ε at δ = 1e-5"),
            to_decimal(bounded_range_to_epsilon(1, parse_rational("1e-5", "δ")), 6, Rounding::up));
  for (const char* label : {"ε at δ = 1e-6", "ε at δ = 1e-9", "ε at δ = 1e-7", "RDP of order 64"}) {
    EXPECT_NE(row(result.out, label), "") << label;
  }
  EXPECT_EQ(row(result.out, "RDP of order 1.5"), "0.1875");
  EXPECT_EQ(row(result.out, "replace one: pure ε"), "2");
  EXPECT_EQ(row(result.out, "replace one: ρ-zCDP"), "0.5");
  EXPECT_NE(result.out.find("ε-equivalent √(2ρ) as in the paper's plots: no guarantee: 0.5\n"), std::string::npos);
}

TEST(AccountCli, NotionsThatDoNotHoldAreNone) {
  EXPECT_EQ(row(account({"--rho", "0.5"}).out, "pure ε"), "none");
  const Json json = account_json({"--rho", "0.5"});
  EXPECT_TRUE(json.at("epsilon").is_null());
  EXPECT_TRUE(json.at("mu").is_null());
  EXPECT_EQ(json.at("rho"), Json({{"exact", "0.5"}, {"value", 0.5}}));
}

TEST(AccountCli, MechanismsAreCalibratedToTheBudget) {
  const Json exponential = account_json({"--rho", "0.005", "--mechanism", "exponential", "--compose", "10"});
  EXPECT_EQ(exact(exponential.at("runs_at").at("epsilon")), "0.2");
  EXPECT_EQ(exact(exponential.at("epsilon")), "2");
  EXPECT_EQ(exact(exponential.at("rho")), "0.05");
  EXPECT_TRUE(exponential.at("bounded_range").is_null());

  for (const char* mechanism : {"permute-and-flip", "laplace"}) {
    EXPECT_EQ(exact(account_json({"--rho", "0.005", "--mechanism", mechanism}).at("epsilon")), "0.1");
  }
  const Json gaussian = account_json({"--rho", "0.5", "--mechanism", "gaussian"});
  EXPECT_EQ(exact(gaussian.at("rho")), "0.5");
  EXPECT_TRUE(gaussian.at("mu").is_null());
  EXPECT_NE(gaussian.at("notes").at(0).get<std::string>().find("up to the discretisation"), std::string::npos);
  const Json continuous = account_json({"--mu", "0.1", "--mechanism", "gaussian"});
  EXPECT_EQ(exact(continuous.at("mu")), "0.1");
  EXPECT_EQ(exact(continuous.at("rho")), "0.005");
  const Json pure = account_json({"--mu", "1", "--mechanism", "exponential"});
  EXPECT_EQ(exact(pure.at("runs_at").at("epsilon")), to_string(pure_for_gdp(1)));
  EXPECT_EQ(pure.at("given").at("notion"), "gdp");
}

TEST(AccountCli, AnApproximateBudgetShowsWhatMechanismsMayUse) {
  const Json json = account_json({"--epsilon", "1", "--delta", "1e-5"});
  const Json& uses = json.at("may_be_used_by");
  const Rational delta = parse_rational("1e-5", "δ");
  EXPECT_EQ(exact(uses.at("exponential").at("epsilon")), to_string(bounded_range_for_approximate(1, delta)));
  EXPECT_EQ(exact(uses.at("permute-and-flip").at("epsilon")), to_string(pure_for_approximate(1, delta)));
  EXPECT_EQ(exact(uses.at("gaussian").at("rho")), to_string(zcdp_for_approximate(1, delta)));
  EXPECT_EQ(exact(uses.at("continuous-gaussian").at("mu")), to_string(gdp_for_approximate(1, delta)));
  EXPECT_EQ(exact(json.at("epsilon_at").at(0).at("epsilon")), "1");
  EXPECT_TRUE(json.at("epsilon_at").at(1).at("epsilon").is_null());
  EXPECT_EQ(json.at("epsilon_at").at(1).at("delta").at("value"), 1e-6);
}

TEST(AccountCli, TellsWhatAPersonWithSeveralRecordsHas) {
  const RunResult result =
      account({"--epsilon", "0.1", "--mechanism", "exponential", "--compose", "2", "--records-per-person", "5"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(row(result.out, "pure ε"), "0.2");
  EXPECT_EQ(row(result.out, "replace one: pure ε"), "0.4");
  EXPECT_EQ(row(result.out, "records per person"), "5");
  EXPECT_EQ(row(result.out, "person: pure ε"), "1");
  EXPECT_EQ(row(result.out, "person: bounded range"), "none");
  EXPECT_EQ(row(result.out, "person: ρ-zCDP"), "0.0625");  // 25·2·0.1²/8
  EXPECT_EQ(row(result.out, "person: μ-GDP"), "0.886069");
  EXPECT_NE(row(result.out, "person: ε at δ = 1e-9"), "");
  EXPECT_NE(result.out.find("note: a fit for people gives each person the given budget"), std::string::npos);

  const Json json = account_json({"--rho", "0.125", "--records-per-person", "10", "--at-delta", "1e-7"});
  const Json& person = json.at("person");
  EXPECT_EQ(person.at("records"), 10);
  EXPECT_EQ(person.at("relation"), "add-remove-person");
  EXPECT_EQ(exact(person.at("rho")), "12.5");
  EXPECT_TRUE(person.at("epsilon").is_null());
  ASSERT_EQ(person.at("epsilon_at").size(), 4u);
  EXPECT_EQ(exact(person.at("epsilon_at").at(3).at("epsilon")),
            to_string(zcdp_to_epsilon(parse_rational("12.5", "ρ"), parse_rational("1e-7", "δ"))));
  EXPECT_EQ(exact(json.at("rho")), "0.125");
}

TEST(AccountCli, NothingIsSaidOfPeopleUnlessAsked) {
  EXPECT_EQ(account({"--rho", "0.125"}).out.find("person"), std::string::npos);
  EXPECT_TRUE(account_json({"--rho", "0.125"}).at("person").is_null());
}

TEST(AccountCli, APersonMayHaveAMillionRecords) {
  const Json json = account_json({"--epsilon", "1", "--delta", "1e-5", "--records-per-person", "1000000"});
  EXPECT_EQ(exact(json.at("person").at("approximate").at("epsilon")), "1000000");
  EXPECT_EQ(exact(json.at("person").at("approximate").at("delta")), "1");
  EXPECT_TRUE(json.at("person").at("epsilon_at").at(0).at("epsilon").is_null());
  EXPECT_EQ(exact(account_json({"--rho", "1", "--records-per-person", "1"}).at("person").at("rho")), "1");
}

TEST(AccountCli, WrongUsageExitsWithTwo) {
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{},
                                             {"--rho", "1", "--mu", "1"},
                                             {"--epsilon", "1", "--rho", "1"},
                                             {"--rho", "1", "--delta", "1e-5"},
                                             {"--rho", "1", "--mechanism", "magic"},
                                             {"--rho", "1", "--compose", "many"},
                                             {"--rho", "1", "--records-per-person", "0"},
                                             {"--rho", "1", "--records-per-person", "1000001"},
                                             {"--rho", "1", "--records-per-person", "-1"},
                                             {"--rho", "1", "--records-per-person", "2.5"}}) {
    const RunResult result = account(args);
    EXPECT_EQ(result.status, 2) << result.out;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err, "");
  }
}

TEST(AccountCli, BadValuesExitWithOneAndAreNamed) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--epsilon", "-1"}, "--epsilon: '-1'"},
      {{"--rho", "nan"}, "--rho: 'nan'"},
      {{"--mu", "0"}, "--mu: '0'"},
      {{"--epsilon", "1", "--delta", "1.5"}, "δ = 1.5"},
      {{"--epsilon", "1", "--delta", "0"}, "--delta: '0'"},
      {{"--rho", "1", "--at-delta", "2"}, "δ = 2"},
      {{"--rho", "1", "--compose", "0"}, "0 releases"},
      {{"--epsilon", "1", "--mechanism", "gaussian"}, "Gaussian noise has no pure-DP guarantee"},
  };
  for (const auto& [args, message] : cases) {
    const RunResult result = account(args);
    EXPECT_EQ(result.status, 1) << message;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << "more than one line: " << result.err;
  }
}

TEST(AccountCli, HugeAmountsAreStillJson) {
  const Json json = account_json({"--epsilon", "1e300"});
  EXPECT_TRUE(json.at("rho").at("value").is_null());
  EXPECT_EQ(json.at("epsilon").at("value"), 1e300);
}

TEST(AccountCli, HelpShowsAWorkedExampleThatRuns) {
  const RunResult help = account({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.out.find("dppl account --rho 0.005 --mechanism exponential --compose 10 --at-delta 1e-7"),
            std::string::npos);
  const RunResult example =
      account({"--rho", "0.005", "--mechanism", "exponential", "--compose", "10", "--at-delta", "1e-7"});
  EXPECT_EQ(row(example.out, "pure ε"), "2");
  EXPECT_EQ(row(example.out, "ρ-zCDP"), "0.05");
}

}  // namespace
}  // namespace dppl
