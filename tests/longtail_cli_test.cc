#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "dppl/embeddings.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using testing::read_text;
using testing::TempDir;

// An argument that names a file is meant within the directory.
RunResult longtail(const TempDir& dir, std::string_view arguments) {
  std::vector<std::string> args = {"longtail"};
  std::istringstream words{std::string(arguments)};
  for (std::string word; words >> word;) {
    args.push_back(word.ends_with(".npy") || word.ends_with(".txt") ? dir.path(word) : word);
  }
  return run_program(std::move(args));
}

std::vector<int64_t> labels(int64_t classes, size_t each) {
  std::vector<int64_t> result;
  for (size_t i = 0; i < each; ++i) {
    for (int64_t c = 0; c < classes; ++c) result.push_back(c);
  }
  return result;
}

TEST(LongTailCommand, WritesRowsAndSummary) {
  const TempDir dir;
  write_npy(dir.path("y.npy"), labels(10, 500));
  const RunResult done = longtail(dir, "--labels y.npy --ratio 100 --seed 3 -o idx.npy --json");
  ASSERT_EQ(done.status, 0) << done.err;
  const auto json = nlohmann::json::parse(done.out);
  EXPECT_EQ(json["classes"], 10);
  EXPECT_EQ(json["min"], 5);
  EXPECT_EQ(json["median"], 52);
  EXPECT_EQ(json["max"], 500);
  EXPECT_EQ(json["seed"], 3);
  const std::vector<uint64_t> rows = read_rows(dir.path("idx.npy"), 5000);
  EXPECT_EQ(json["total"], rows.size());
  EXPECT_NE(read_text(dir.path("idx.npy")).find("'<i8'"), std::string::npos);

  const RunResult people = longtail(dir, "--labels y.npy --ratio 100 --seed 3 --classes 10 -o again.npy");
  ASSERT_EQ(people.status, 0) << people.err;
  EXPECT_NE(people.out.find("10 classes; records per class: min 5, median 52, max 500"), std::string::npos)
      << people.out;
  EXPECT_EQ(read_text(dir.path("again.npy")), read_text(dir.path("idx.npy")));
}

TEST(LongTailCommand, TakesLabelsByName) {
  const TempDir dir;
  dir.file("names.txt", "cat\ndog\n");
  dir.file("y.txt", "dog\ncat\ncat\ndog\ndog\n");
  const RunResult done = longtail(dir, "--labels y.txt --classes names.txt --ratio 2 -o idx.npy --json");
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(nlohmann::json::parse(done.out)["total"], 3);
}

TEST(LongTailCommand, RefusesInOneLineAndWritesNothing) {
  const TempDir dir;
  write_npy(dir.path("y.npy"), labels(3, 5));
  dir.file("y.txt", "cat\n");
  write_npy(dir.path("none.npy"), std::vector<int64_t>{});
  write_npy(dir.path("negative.npy"), std::vector<int64_t>{-3});
  write_npy(dir.path("huge.npy"), std::vector<int64_t>{1, 1LL << 60});
  const std::pair<const char*, const char*> cases[] = {
      {"--labels y.npy --ratio 0.5 -o idx.npy", "--ratio: '0.5' is below 1"},
      {"--labels y.npy --ratio nan -o idx.npy", "--ratio: 'nan' is not a number"},
      {"--labels y.npy --ratio 2 --classes 4 -o idx.npy", "a class has no record"},
      {"--labels y.npy --ratio 2 --classes 4 -o idx.npy --show-private-errors", "class 3 has none"},
      {"--labels y.npy --ratio 2 --classes 2 -o idx.npy", "not one of the classes 0…1"},
      {"--labels y.npy --ratio 2 --classes 2 -o idx.npy --show-private-errors", "row 2 has label 2"},
      {"--labels y.txt --ratio 2 -o idx.npy", "add --classes names.txt"},
      {"--labels none.npy --ratio 2 -o idx.npy", "holds no label"},
      {"--labels negative.npy --ratio 2 -o idx.npy", "the largest label is not between"},
      {"--labels negative.npy --ratio 2 -o idx.npy --show-private-errors", "it is -3"},
      {"--labels huge.npy --ratio 2 -o idx.npy", "the largest label is not between"},
      {"--labels huge.npy --ratio 2 -o idx.npy --show-private-errors", "it is 1152921504606846976"},
      {"--labels absent.npy --ratio 2 -o idx.npy", "absent.npy: cannot open"},
      {"--labels y.npy --ratio 2 -o absent/idx.npy", "absent/idx.npy: cannot write"}};
  for (const auto& [arguments, word] : cases) {
    const RunResult refused = longtail(dir, arguments);
    EXPECT_EQ(refused.status, 1) << arguments;
    EXPECT_NE(refused.err.find(word), std::string::npos) << refused.err;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(dir.path("idx.npy"))) << arguments;
  }
  EXPECT_EQ(longtail(dir, "--labels y.npy -o idx.npy").status, 2);
  EXPECT_EQ(longtail(dir, "--labels y.npy --ratio 2 --seed -1 -o idx.npy").status, 2);
  EXPECT_EQ(longtail(dir, "--help").status, 0);
}

}  // namespace
}  // namespace dppl
