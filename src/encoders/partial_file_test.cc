#include "encoders/partial_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "dppl/error.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::read_text;
using testing::TempDir;

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(PartialState, CountsWholeRecordsOnly) {
  const std::string title = "dppl embed, how far: abc\n";
  const auto at = [&](const std::string& rest) { return parse_partial_state(title + rest, "abc"); };
  EXPECT_EQ(at("")->images, 0u);
  EXPECT_EQ(at("done 8 8\n")->rows, 8u);
  EXPECT_EQ(at("done 8 8\ndone 1")->images, 8u);
  EXPECT_EQ(at("done 8 8\nbad 9\n")->bad.size(), 0u);
  const std::string records = "done 8 8\nbad 9\ndone 16 15\n";
  const auto both = at(records + "bad 1");
  EXPECT_EQ(both->images, 16u);
  EXPECT_EQ(both->rows, 15u);
  EXPECT_EQ(both->bad, (std::vector<uint64_t>{9}));
  EXPECT_EQ(both->text_size, title.size() + records.size());
  EXPECT_FALSE(parse_partial_state(title, "abd"));
  EXPECT_FALSE(parse_partial_state("", "abc"));
  for (const char* damaged : {"gone 8 8\n", "done 8\n", "done 8 9\n", "done 8 8 8\n", "done 8 8\ndone 4 4\n",
                              "done -1 0\n", "bad 9\ndone 9 8\n", "bad 3\nbad 3\ndone 8 6\n", "done  8 8\n", "\n"}) {
    EXPECT_FALSE(at(damaged)) << damaged;
  }
}

TEST(PartialFile, GoesOnAfterTheLastCheckpoint) {
  const TempDir dir;
  const std::string path = dir.path("x");
  const auto open = [&](const std::string& identity) {
    return std::make_unique<PartialFile>(path, identity, 10, 2, 2);
  };
  auto file = open("run");
  file->append(bytes("aabb"), 3, std::vector<uint64_t>{1});
  file->checkpoint();
  file->append(bytes("cc"), 1, {});
  expect_error<IoError>([&] { open("run"); }, {"another process"});
  file.reset();

  file = open("run");
  EXPECT_FALSE(file->replaced());
  EXPECT_EQ(file->state().images, 3u);
  EXPECT_EQ(file->state().rows, 2u);
  file->append(bytes("dd"), 1, {});
  file->commit("HH");
  file.reset();
  EXPECT_EQ(read_text(path), "HHaabbdd");
  EXPECT_EQ(dir.entries(), 1u);
}

TEST(PartialFile, ThrowsAwayWhatDoesNotFit) {
  const TempDir dir;
  const std::string path = dir.path("x");
  const auto leave_two_rows = [&] {
    PartialFile file(path, "run", 10, 2, 2);
    file.append(bytes("aabb"), 2, {});
    file.checkpoint();
  };
  const auto replaced = [&](const std::string& identity, uint64_t images) {
    PartialFile file(path, identity, images, 2, 2);
    EXPECT_EQ(file.state().images, 0u);
    return file.replaced();
  };
  leave_two_rows();
  EXPECT_TRUE(replaced("another run", 10));
  EXPECT_EQ(dir.entries(), 0u);  // nothing was done, nothing is left
  leave_two_rows();
  EXPECT_TRUE(replaced("run", 1));
  leave_two_rows();
  std::filesystem::resize_file(path + ".partial", 5);
  EXPECT_TRUE(replaced("run", 10));
  leave_two_rows();
  std::ofstream(path + ".partial-state", std::ios::app) << "damaged\n";
  EXPECT_TRUE(replaced("run", 10));
}

}  // namespace
}  // namespace dppl
