#include <gtest/gtest.h>

#include "dppl/embeddings.h"
#include "dppl/error.h"
#include "support/expect_error.h"
#include "support/expect_private_error.h"
#include "support/npy_bytes.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::expect_private_error;
using testing::npy_bytes;
using testing::raw;
using testing::TempDir;

TEST(ClassSet, Numbered) {
  const ClassSet classes = ClassSet::parse("12");
  EXPECT_EQ(classes.size(), 12u);
  EXPECT_EQ(classes.name(11), "11");
  EXPECT_FALSE(classes.has_names());
  EXPECT_EQ(classes.find("3"), 3);
  for (const char* name : {"12", "03", "-1", "", "x", "3 "}) EXPECT_FALSE(classes.find(name)) << name;
  EXPECT_TRUE(classes.contains(0));
  EXPECT_TRUE(classes.contains(11));
  EXPECT_FALSE(classes.contains(12));
  EXPECT_FALSE(classes.contains(-1));
  EXPECT_EQ(ClassSet::parse("1").size(), 1u);
  EXPECT_EQ(ClassSet::parse("1000000").size(), 1'000'000u);
  for (const char* text : {"0", "1000001", "99999999999999999999999", "-5", "1.5", "", "no-such-file.txt"}) {
    expect_error<InvalidInput>([&] { ClassSet::parse(text); }, {"classes", text});
  }
}

TEST(ClassSet, NamesAreKeptAsTheyAre) {
  const TempDir dir;
  const ClassSet classes = ClassSet::parse(dir.file("names.txt",
                                                    "\xef\xbb\xbf"
                                                    "cat\r\nKätzchen\n猫\nice cream\n\xf0\x9f\x90\x88"));
  EXPECT_EQ(classes.size(), 5u);
  EXPECT_TRUE(classes.has_names());
  EXPECT_EQ(classes.name(0), "cat");
  EXPECT_EQ(classes.name(1), "Kätzchen");
  EXPECT_EQ(classes.name(3), "ice cream");
  EXPECT_EQ(classes.find("猫"), 2);
  EXPECT_EQ(classes.find("🐈"), 4);
  EXPECT_FALSE(classes.find("Cat"));
  const ClassSet copy = classes;
  EXPECT_EQ(copy.find("猫"), 2);
}

TEST(ClassSet, RefusesBadNames) {
  const TempDir dir;
  const std::pair<std::string, const char*> cases[] = {{"", "0 classes"},
                                                       {"a\n\nb\n", "line 2 is blank"},
                                                       {"a\n  \nb\n", "line 2 is blank"},
                                                       {"a\nb\na\n", "'a' stands at 1 and again at 3"},
                                                       {"a\nb\tc\n", "line 2 has a control character"},
                                                       {"a\rb\n", "line 1 has a control character"},
                                                       {"a\n\x1b[31m\n", "line 2 has a control character"},
                                                       {std::string("a\0b", 3), "line 1 has a control character"},
                                                       {"a\n\x7f", "line 2 has a control character"},
                                                       {"\xc2\x85", "line 1 has a control character"},
                                                       {"caf\xe9\n", "line 1 is not UTF-8"},
                                                       {"\xc0\xaf", "line 1 is not UTF-8"},
                                                       {"\xed\xa0\x80", "line 1 is not UTF-8"},
                                                       {"\xf4\x90\x80\x80", "line 1 is not UTF-8"},
                                                       {"\xe7\x8c", "line 1 is not UTF-8"},
                                                       {"\x80", "line 1 is not UTF-8"}};
  for (const auto& [text, word] : cases) {
    const std::string path = dir.file("names.txt", text);
    expect_error<InvalidInput>([&] { ClassSet::read(path); }, {path, word});
  }
  expect_error<InvalidInput>([] { ClassSet::named({"a", "b\n"}); }, {"class name 2 has a control character"});
  expect_error<InvalidInput>([] { ClassSet::named({}); }, {"0 classes"});
  expect_error<InvalidInput>([] { ClassSet::numbered(1'000'001); }, {"1000001 classes"});
  std::string many;
  for (int i = 0; i <= 1'000'000; ++i) many += std::to_string(i) + '\n';
  expect_error<InvalidInput>([&] { ClassSet::read(dir.file("many.txt", many)); }, {"1000001 classes"});
}

TEST(Labels, WithinTheClassSet) {
  const TempDir dir;
  const std::string path = dir.file("y.npy", npy_bytes("<i4", "(4,)", raw<int32_t>({0, 2, 1, 3})));
  EXPECT_EQ(read_labels(path, ClassSet::numbered(4)), (std::vector<int64_t>{0, 2, 1, 3}));
  expect_private_error([&] { read_labels(path, ClassSet::numbered(3)); }, {path, "0…2"}, {"row 3 has label 3"});
  const std::string negative = dir.file("n.npy", npy_bytes("|i1", "(2,)", raw<int8_t>({0, -1})));
  expect_private_error([&] { read_labels(negative, ClassSet::numbered(3)); }, {negative}, {"row 1", "-1"});
}

TEST(Labels, ByName) {
  const TempDir dir;
  const ClassSet classes = ClassSet::named({"cat", "dog"});
  EXPECT_EQ(read_labels(dir.file("y.txt", "dog\ncat\r\ndog\n"), classes), (std::vector<int64_t>{1, 0, 1}));
  EXPECT_EQ(read_labels(dir.file("n.txt", "1\n0\n"), ClassSet::numbered(2)), (std::vector<int64_t>{1, 0}));
  EXPECT_TRUE(read_labels(dir.file("none.txt", ""), classes).empty());
  const std::string bad = dir.file("bad.txt", "dog\nbird\n");
  expect_private_error([&] { read_labels(bad, classes); }, {bad, "not one of the 2 classes"}, {"line 2", "bird"});
  expect_private_error([&] { read_labels(dir.file("b.txt", "dog\n\n"), classes); }, {"b.txt", "is blank"}, {"line 2"});
}

TEST(Rows, DistinctAndWithinTheLimit) {
  const TempDir dir;
  const auto rows = [&](const std::vector<int64_t>& values, uint64_t limit) {
    write_npy(dir.path("rows.npy"), values);
    return read_rows(dir.path("rows.npy"), limit);
  };
  EXPECT_EQ(rows({5, 0, 9}, 10), (std::vector<uint64_t>{5, 0, 9}));
  EXPECT_TRUE(rows({}, 10).empty());
  expect_private_error([&] { rows({5, 17}, 16); }, {dir.path("rows.npy")}, {"entry 1 is row 17", "16 rows"});
  expect_private_error([&] { rows({-1}, 10); }, {dir.path("rows.npy")}, {"entry 0 is row -1"});
  expect_private_error([&] { rows({4, 7, 1, 7}, 10); }, {"named twice", "numpy.unique"}, {"row 7"});
  const std::string mask = dir.file("mask.npy", npy_bytes("|b1", "(2,)", raw<uint8_t>({0, 1})));
  expect_error<InvalidInput>([&] { read_rows(mask, 10); }, {"is a mask", "flatnonzero"});
}

}  // namespace
}  // namespace dppl
