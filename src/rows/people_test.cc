#include "rows/people.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "dppl/embeddings.h"
#include "dppl/invalid_record.h"
#include "rows/private_access.h"
#include "support/expect_error.h"
#include "support/npy_bytes.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

TEST(People, RecordsOfAPersonAndOfAClassLieSideBySide) {
  const std::vector<int64_t> ids{7, 3, 7, 9, 3, 7}, labels{1, 0, 0, 2, 2, 1};
  PrivateData data = PrivateData::from_memory({1, 2, 3, 4, 5, 6}, 1, labels, ClassSet::numbered(3)).with_people(ids);
  const PrivateAccess access(data);
  EXPECT_EQ(std::vector<int64_t>(access.labels().begin(), access.labels().end()),
            (std::vector<int64_t>{0, 2, 0, 1, 1, 2}));
  std::vector<float> values, scratch(1);
  for (size_t i = 0; i < 6; ++i) values.push_back(access.row_view(i, scratch)[0]);
  EXPECT_EQ(values, (std::vector<float>{2, 5, 3, 1, 6, 4}));
  ASSERT_EQ(access.people()->size(), 3u);
  EXPECT_EQ(access.people()->records(1), 3u);
}

TEST(People, BlocksHoldWholePeople) {
  const People people({0, 3, 4, 14, 15, 16});
  const std::vector<std::pair<size_t, size_t>> expected{{0, 2}, {2, 3}, {3, 5}};
  EXPECT_EQ(people.blocks(5), expected);
  EXPECT_EQ(people.blocks(100).size(), 1u);
  EXPECT_TRUE(People({0}).blocks(5).empty());
}

TEST(People, ADigestTellsOtherPeopleAndOtherLabels) {
  const std::vector<int64_t> labels{0, 1, 1}, others{0, 0, 1};
  EXPECT_EQ(People({0, 1, 3}).digest(labels), People({0, 1, 3}).digest(labels));
  EXPECT_NE(People({0, 1, 3}).digest(labels), People({0, 2, 3}).digest(labels));
  EXPECT_NE(People({0, 1, 3}).digest(labels), People({0, 1, 3}).digest(others));
}

TEST(People, AreReadFromNumbersOrNames) {
  const testing::TempDir dir;
  write_npy(dir.path("ids.npy"), std::vector<int64_t>{5, 5, 0});
  EXPECT_EQ(read_people(dir.path("ids.npy")), (std::vector<int64_t>{5, 5, 0}));
  std::ofstream(dir.path("ids.txt")) << "Ann\nBo\nAnn\n";
  EXPECT_EQ(read_people(dir.path("ids.txt")), (std::vector<int64_t>{0, 1, 0}));
  // As numpy.save writes numpy.array(["Zoë", "Bo", "Zoë"]), of its types U and S.
  const std::u32string wide[] = {U"Zoë", std::u32string(U"Bo\0", 3), U"Zoë"};
  std::string data;
  for (const std::u32string& name : wide) data.append(reinterpret_cast<const char*>(name.data()), 4 * name.size());
  dir.file("names.npy", testing::npy_bytes("<U3", "(3,)", data));
  EXPECT_EQ(read_people(dir.path("names.npy")), (std::vector<int64_t>{0, 1, 0}));
  dir.file("names.npy", testing::npy_bytes("|S3", "(3,)", std::string("AnnBo\0Ann", 9)));
  EXPECT_EQ(read_people(dir.path("names.npy")), (std::vector<int64_t>{0, 1, 0}));
}

TEST(People, AnyNumberFrom0OnIsAPerson) {
  const testing::TempDir dir;
  const int64_t largest = std::numeric_limits<int64_t>::max();
  write_npy(dir.path("ids.npy"), std::vector<int64_t>{largest, 0, largest, largest - 1});
  const std::vector<int64_t> ids = read_people(dir.path("ids.npy"));
  const PrivateData data =
      PrivateData::from_memory({1, 2, 3, 4}, 1, {0, 0, 0, 0}, ClassSet::numbered(1)).with_people(ids);
  ASSERT_EQ(PrivateAccess(data).people()->size(), 3u);
  EXPECT_EQ(PrivateAccess(data).people()->records(2), 2u);
  dir.file("ids.npy", testing::npy_bytes("<u8", "(1,)", testing::raw<uint64_t>({uint64_t{1} << 63})));
  EXPECT_THROW(read_people(dir.path("ids.npy")), InvalidRecord);
  dir.file("ids.npy", testing::npy_bytes("<f8", "(1,)", testing::raw<double>({1})));
  EXPECT_THROW(read_people(dir.path("ids.npy")), InvalidInput);
}

// A missing id is refused, and the message does not tell which record has none.
TEST(People, AMissingIdIsRefused) {
  const testing::TempDir dir;
  write_npy(dir.path("ids.npy"), std::vector<int64_t>{5, -1, 0});
  testing::expect_error<InvalidRecord>([&] { read_people(dir.path("ids.npy")); }, {"ids.npy", "has no person"});
  // Blank lines, blanks that nobody sees (no-break, ideographic, of no width), and what programs write for none.
  for (const char* text : {"Ann\n\nBo\n", "Ann\n Bo\n", "Ann\nBo \n", "Ann\nBo\t\n", "Ann\nBo\u00a0\n",
                           "Ann\nBo\u3000\n", "\u200bAnn\n", "Ann\nnan\n", "None\n", "-1\n"}) {
    std::ofstream(dir.path("ids.txt")) << text;
    EXPECT_THROW(read_people(dir.path("ids.txt")), InvalidRecord) << text;
  }
  std::ofstream(dir.path("ids.txt")) << "Ann Nan\nBo\u00a0None\n0\n";
  EXPECT_EQ(read_people(dir.path("ids.txt")).size(), 3u);
  dir.file("names.npy", testing::npy_bytes("|S3", "(2,)", std::string("Ann\0\0\0", 6)));
  testing::expect_error<InvalidRecord>([&] { read_people(dir.path("names.npy")); }, {"names.npy", "is blank"});
  const auto data = [] { return PrivateData::from_memory({1, 2}, 1, {0, 0}, ClassSet::numbered(1)); };
  EXPECT_THROW(data().with_people(std::vector<int64_t>{0}), InvalidRecord);
  EXPECT_THROW(data().with_people(std::vector<int64_t>{0, -3}), InvalidRecord);
}

TEST(People, AreCheckedAgainstRowsAndPickedWithThem) {
  const testing::TempDir dir;
  write_npy(dir.path("x.npy"), std::vector<float>{1, 2, 3, 4}, 1);
  write_npy(dir.path("y.npy"), std::vector<int64_t>{0, 1, 0, 1});
  write_npy(dir.path("rows.npy"), std::vector<int64_t>{3, 0});
  write_npy(dir.path("ids.npy"), std::vector<int64_t>{8, 9, 9, 2});
  const PrivateData::Files files{dir.path("x.npy"), dir.path("y.npy"), dir.path("rows.npy"), dir.path("ids.npy")};
  const PrivateData data = PrivateData::open(files, ClassSet::numbered(2));
  const PrivateAccess access(data);
  EXPECT_EQ(access.row_of(0), 3u);  // person 2 before person 8
  EXPECT_EQ(access.people()->size(), 2u);
  write_npy(dir.path("ids.npy"), std::vector<int64_t>{8, 9, 9});
  testing::expect_error<InvalidRecord>([&] { PrivateData::open(files, ClassSet::numbered(2)); },
                                       {"ids.npy", "one person per row"});
}

}  // namespace
}  // namespace dppl
