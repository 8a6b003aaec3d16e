// Proofs name the test that fails without each assumption. A test that was renamed or lost leaves its assumption bare,
// and a slow one among the quick.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace dppl {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::set<std::string> found(const std::string& text, const std::regex& pattern, const char* format) {
  std::set<std::string> result;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    result.insert(match->format(format));
  }
  return result;
}

std::vector<fs::path> files_of_the_code() {
  std::vector<fs::path> files;
  for (const char* folder : {"src", "lab", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(DPPL_SOURCE_DIR) / folder)) {
      files.push_back(entry.path());
    }
  }
  return files;
}

std::set<std::string> all_tests() {
  std::set<std::string> tests;
  for (const fs::path& file : files_of_the_code()) {
    if (!file.string().ends_with("_test.cc")) continue;
    tests.merge(found(text_of(file), std::regex(R"(TEST(?:_F)?\((\w+),\s*(\w+)\))"), "$1.$2"));
  }
  return tests;
}

TEST(SlowTests, AreTestsThatExist) {
  const std::set<std::string> tests = all_tests();
  std::ifstream list(fs::path(DPPL_SOURCE_DIR) / "tests/slow.txt");
  size_t named = 0;
  for (std::string test; std::getline(list, test); ++named) EXPECT_TRUE(tests.contains(test)) << test;
  EXPECT_GT(named, 20u);
}

TEST(Proofs, NameTestsThatExist) {
  const std::set<std::string> tests = all_tests();
  std::set<std::string> planted;
  std::vector<fs::path> proofs;
  for (const fs::path& file : files_of_the_code()) {
    const std::string name = file.filename().string();
    if (name.ends_with("proof.md")) proofs.push_back(file);
    if (file.parent_path().filename() == "audit" && name.ends_with(".cc")) {
      planted.merge(found(text_of(file), std::regex("\"([^\"\\n]+)\""), "$1"));
    }
  }
  ASSERT_GT(proofs.size(), 8u);
  ASSERT_GT(tests.size(), 400u);
  size_t named = 0;
  for (const fs::path& proof : proofs) {
    const std::string text = text_of(proof);
    for (const std::string& test : found(text, std::regex(R"(`([A-Z]\w+)\.([A-Z]\w+)`)"), "$1.$2")) {
      EXPECT_TRUE(tests.contains(test)) << proof << " names " << test;
      ++named;
    }
    for (const std::string& mistake : found(text, std::regex("\"planted: ([^\"]+)\""), "$1")) {
      const std::string one_line = std::regex_replace(mistake, std::regex("\\s+"), " ");
      EXPECT_TRUE(planted.contains(one_line) || planted.contains("planted: " + one_line))
          << proof << " names " << mistake;
      ++named;
    }
  }
  EXPECT_GT(named, 40u);
}

// A folder without a proof, or a statistic that the audit does not measure, would pass all other tests.
TEST(Proofs, EveryMechanismAndStatisticHasOne) {
  const fs::path root = DPPL_SOURCE_DIR;
  const std::string measured = text_of(root / "src/audit/sensitivity.cc") + text_of(root / "src/audit/measures.h");
  size_t folders = 0;
  for (const char* room : {"mechanisms", "statistics"}) {
    for (const auto& entry : fs::directory_iterator(root / "src" / room)) {
      if (!entry.is_directory()) continue;
      ++folders;
      EXPECT_TRUE(fs::exists(entry.path() / "proof.md")) << entry.path();
      const std::string header = fmt::format("#include \"{}/{}/", room, entry.path().filename().string());
      EXPECT_TRUE(room == std::string("mechanisms") || measured.find(header) != std::string::npos)
          << entry.path() << ": has no line in honest_statistics() of src/audit/sensitivity.cc";
    }
  }
  EXPECT_GT(folders, 8u);
}

}  // namespace
}  // namespace dppl
