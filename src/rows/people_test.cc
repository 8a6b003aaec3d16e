#include "rows/people.h"

#include <gtest/gtest.h>

#include <fstream>

#include "dppl/embeddings.h"
#include "dppl/invalid_record.h"
#include "rows/private_access.h"
#include "support/expect_error.h"
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
}

// A missing id is refused, and the message does not tell which record has none.
TEST(People, AMissingIdIsRefused) {
  const testing::TempDir dir;
  write_npy(dir.path("ids.npy"), std::vector<int64_t>{5, -1, 0});
  testing::expect_error<InvalidRecord>([&] { read_people(dir.path("ids.npy")); }, {"ids.npy", "has no person"});
  for (const char* text : {"Ann\n\nBo\n", "Ann\n Bo\n", "Ann\nBo \n"}) {
    std::ofstream(dir.path("ids.txt")) << text;
    EXPECT_THROW(read_people(dir.path("ids.txt")), InvalidRecord) << text;
  }
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
