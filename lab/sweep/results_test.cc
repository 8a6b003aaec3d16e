#include <gtest/gtest.h>

#include <cmath>

#include "dppl/error.h"
#include "dppl/sweep.h"
#include "lab/sweep/result_tables.h"
#include "support/expect_error.h"

namespace dppl {
namespace {

using testing::expect_error;

SweepRow row_of(std::string method, std::optional<double> rho, uint64_t seed, double balanced) {
  return {.data = "digits",
          .encoder = "vit",
          .pool = "photos",
          .pool_rows = 1000,
          .method = std::move(method),
          .kind = "public",
          .transform = "none",
          .settings = R"({"k": 2})",
          .rho = rho,
          .ratio = 10,
          .seed = seed,
          .status = "ok",
          .error = "",
          .train_rows = 600,
          .accuracy = 0.9,
          .balanced = balanced,
          .minority = balanced / 2,
          .seconds = 0.25,
          .rho_spent = rho.value_or(0),
          .trace = ""};
}

SweepRow failed(SweepRow row, std::string error) {
  row.status = "failed";
  row.error = std::move(error);
  row.accuracy = row.balanced = row.minority = 0;
  return row;
}

TEST(Results, AreReadAsTheyWereWritten) {
  SweepRow odd = row_of("a \"quoted\", name", 1.0 / 3, UINT64_MAX, 0.1 + 0.2);
  odd.trace = R"({"radius": [10, 2.5, 1e-300], "loss": []})";
  odd.tuned_on_test = true;
  odd.data = "two\nlines\r\nand an end\n";
  odd.transform = "\"";
  SweepRow reference = row_of("", std::nullopt, 0, 0);
  reference.pool = reference.settings = "";
  reference.pool_rows = 0;
  reference.ratio = std::nullopt;
  const std::vector<SweepRow> rows = {odd, reference, failed(row_of("ρ", 1e-6, 1, 1), "no, \"never\"")};
  const std::string csv = results_csv(rows);
  const std::vector<SweepRow> read = parse_results(csv, "r.csv");
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(results_csv(read), csv);
  EXPECT_EQ(read[0].method, odd.method);
  EXPECT_EQ(read[0].rho, odd.rho);
  EXPECT_EQ(read[0].seed, UINT64_MAX);
  EXPECT_EQ(read[0].balanced, 0.1 + 0.2);
  EXPECT_EQ(read[0].data, odd.data);
  EXPECT_EQ(read[0].trace, odd.trace);
  EXPECT_TRUE(read[0].tuned_on_test);
  EXPECT_EQ(read[1].rho, std::nullopt);
  EXPECT_EQ(read[1].ratio, std::nullopt);
  EXPECT_EQ(read[1].method, "");
  EXPECT_EQ(read[2].error, "no, \"never\"");
  EXPECT_NE(csv.find("600,,,,0.25"), std::string::npos);  // a failed run has no accuracies
  EXPECT_TRUE(parse_results(results_csv({}), "r.csv").empty());
}

TEST(Results, MayEndInCarriageReturnsOrNone) {
  std::string csv = results_csv({row_of("m", 1, 0, 0.5)});
  csv.pop_back();
  EXPECT_EQ(parse_results(csv, "r.csv").size(), 1u);
  std::string windows;
  for (const char c : csv) windows += c == '\n' ? "\r\n" : std::string(1, c);
  ASSERT_EQ(parse_results(windows, "r.csv").size(), 1u);
  EXPECT_EQ(results_csv(parse_results(windows, "r.csv")), csv + '\n');
}

TEST(Results, BadLinesAreRefusedByNumber) {
  SweepRow two_lines = row_of("a\nb", 1, 0, 0.5);
  const std::string good = results_csv({two_lines});  // lines 1 to 3
  const std::string line = results_csv({row_of("m", 0.5, 7, 0.25)}).substr(good.find('\n') + 1);
  const auto refused = [&](std::string from, const std::string& to, std::string_view why) {
    std::string bad = line;
    ASSERT_NE(bad.find(from), std::string::npos) << from;
    bad.replace(bad.find(from), from.size(), to);
    expect_error<InvalidInput>([&] { parse_results(good + bad, "r.csv"); }, {"r.csv: line 4: ", why});
  };
  EXPECT_EQ(parse_results(good + line, "r.csv").size(), 2u);
  refused("digits,", "", "has 20 fields where the header has 21");
  refused(",1000,", ",-1,", "pool_rows: '-1' is not a whole number");
  refused(",1000,", ",1e3,", "pool_rows");
  refused(",0.5,", ",half,", "rho: 'half' is not a number");
  refused(",0.5,", ",0,", "rho: is not above 0");
  refused(",0.5,", ",nan,", "rho");
  refused(",10,", ",0.5,", "ratio: is below 1; leave it empty where data were taken as they come");
  refused("false", "no", "tuned_on_test: 'no' is not true or false");
  refused(",ok,", ",okay,", "neither ok nor failed");
  refused(",0.9,", ",1.5,", "accuracy: '1.5' is above 1");
  refused(",0.9,", ",,", "accuracy: '' is not a number");
  refused("{\"\"k\"\": 2}", "{\"\"k\"\": }", "settings: is not a JSON object");
  refused("{\"\"k\"\": 2}\"", "{", "a quote without an end");
  refused("digits", "\"digits", "something follows a closing quote");
  std::string traced = line;
  traced.insert(traced.size() - 1, "[1]");
  expect_error<InvalidInput>([&] { parse_results(good + traced, "r.csv"); }, {"line 4", "trace"});
  expect_error<InvalidInput>([&] { parse_results(good + "\n", "r.csv"); }, {"line 4", "1 fields"});
  for (const char* header : {"", "data,encoder\n", "x"})
    expect_error<InvalidInput>([&] { parse_results(header, "r.csv"); }, {"r.csv: line 1: is not the header"});
}

TEST(Statistics, OfSeeds) {
  const auto four = statistics_of(std::vector<double>{4, 1, 2, 3});
  ASSERT_TRUE(four);
  EXPECT_DOUBLE_EQ(four->mean, 2.5);
  EXPECT_NEAR(*four->error, std::sqrt(5.0 / 3 / 4), 1e-12);
  EXPECT_DOUBLE_EQ(four->low, 1.75);
  EXPECT_DOUBLE_EQ(four->median, 2.5);
  EXPECT_DOUBLE_EQ(four->high, 3.25);
  EXPECT_FALSE(statistics_of(std::vector<double>{1})->error);
  EXPECT_FALSE(statistics_of(std::vector<double>{}));
}

TEST(Results, AreDescribedInTables) {
  std::vector<SweepRow> rows = {row_of("ours", 1, 0, 0.5),
                                row_of("ours", 1, 1, 0.6),
                                row_of("ours", 0.1, 0, 0.2),
                                failed(row_of("ours", 0.1, 1, 0), "out of memory"),
                                row_of("theirs", 1, 0, 0.7),
                                row_of("reference", std::nullopt, 0, 0.8),
                                failed(row_of("theirs", 0.1, 0, 0), "again")};
  rows[4].tuned_on_test = true;
  rows[5].pool = "";
  rows[5].pool_rows = 0;
  const std::string text = describe_results(rows);
  EXPECT_EQ(text,
            "digits, vit, pool photos of 1000 rows, imbalance ratio 10: balanced, %\n"
            "  method     ρ = 0.1       ρ = 1  no privacy\n"
            "  ours          20.0  55.0 ± 5.0           –\n"
            "  theirs *    failed        70.0           –\n"
            "  reference        –           –        80.0\n"
            "\n"
            "digits, vit, pool photos of 1000 rows, imbalance ratio 10: minority, %\n"
            "  method     ρ = 0.1       ρ = 1  no privacy\n"
            "  ours          10.0  27.5 ± 2.5           –\n"
            "  theirs *    failed        35.0           –\n"
            "  reference        –           –        40.0\n"
            "\n"
            "Mean ± standard error over seeds; 7 runs.\n"
            "* tuned on the test set: an upper bound, not private.\n"
            "2 of 7 runs failed and are left out; the first, ours at ρ = 0.1: out of memory\n");
  rows[0].ratio = 100;
  const std::string two = describe_results(rows);
  EXPECT_NE(two.find("ratio 100: balanced"), std::string::npos);
  rows[0].ratio = std::nullopt;
  EXPECT_TRUE(describe_results(rows).starts_with("digits, vit, pool photos of 1000 rows, as it comes: balanced, %\n"));
  EXPECT_EQ(describe_results({}), "Mean ± standard error over seeds; 0 runs.\n");
}

}  // namespace
}  // namespace dppl
