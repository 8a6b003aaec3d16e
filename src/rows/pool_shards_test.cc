#include "rows/pool_shards.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/constants.h"
#include "base/mapped_file.h"
#include "base/mapped_file_testing.h"
#include "dppl/error.h"
#include "dppl/fit.h"
#include "rows/public_access.h"
#include "support/expect_error.h"
#include "support/random_rows.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::random_floats;
using testing::read_text;
using testing::TempDir;

constexpr size_t kRows = 300, kDim = 12;
constexpr size_t kCuts[] = {1, 2, 3, 7, 64};

PublicData source(uint64_t seed = 1) { return PublicData::from_memory(random_floats(kRows * kDim, seed), kDim); }

PoolOptions with(const std::string& transform, Slice shard = {}) {
  return {.transform = TransformSpec::parse(transform), .shard = shard};
}

// The shards of a pool, in order.
std::vector<std::string> build_shards(const TempDir& dir, size_t count, const std::string& transform,
                                      const std::string& name = "part") {
  std::vector<std::string> paths;
  for (size_t i = 1; i <= count; ++i) {
    paths.push_back(dir.path(name + "-" + std::to_string(i) + ".pool"));
    build_pool(source(), with(transform, {i, count}), paths.back());
  }
  return paths;
}

std::string build_manifest(const TempDir& dir, size_t count, const std::string& transform) {
  const std::string path = dir.path("p.pools");
  commit_pool(build_shards(dir, count, transform), path);
  return path;
}

TEST(PoolShards, AreOnePoolHoweverTheyAreCut) {
  for (const std::string transform : {"none", "center", "whiten:5:0.3"}) {
    const TempDir dir;
    const PoolInfo whole = build_pool(source(), with(transform), dir.path("p.pool"));
    const auto one = PoolShards::open(dir.path("p.pool"), 2);
    for (const size_t count : kCuts) {
      const TempDir parts;
      const std::string path = build_manifest(parts, count, transform);
      const auto shards = PoolShards::open(path, 2);
      EXPECT_EQ(shards->files().size(), count);
      EXPECT_EQ(shards->info().digest, whole.digest);
      EXPECT_EQ(shards->info().rows, kRows);
      EXPECT_EQ(shards->info().transform, whole.transform);
      EXPECT_EQ(shards->info().shards.size(), count);
      EXPECT_EQ(read_pool_info(path).digest, whole.digest);
      const PublicData data = PublicData::open(path), same = PublicData::open(dir.path("p.pool"));
      EXPECT_EQ(data.digest(), whole.digest);
      EXPECT_EQ(data.size(), kRows);
      EXPECT_EQ(data.dim(), kDim);
      EXPECT_EQ(data.embeddings().path(), path);
      for (size_t i = 0; i < kRows; ++i) {
        const auto row = data.embeddings().row_bytes(i), expected = same.embeddings().row_bytes(i);
        EXPECT_TRUE(std::equal(row.begin(), row.end(), expected.begin(), expected.end())) << i;
        EXPECT_EQ(shards->scale(i), one->scale(i));
        EXPECT_EQ(shards->id(i), i);
      }
      EXPECT_TRUE(std::ranges::equal(shards->transform().mean(), one->transform().mean()));
      EXPECT_TRUE(std::ranges::equal(shards->transform().basis(), one->transform().basis()));
    }
  }
}

// The bytes of a seeded model do not depend on the cut, whatever the method takes from the pool: rows, prior,
// directions.
TEST(PoolShards, GiveTheSameModelBytes) {
  const PrivateData data = PrivateData::from_memory(
      random_floats(90 * kDim, 5), kDim,
      [] {
        std::vector<int64_t> labels;
        for (int64_t i = 0; i < 90; ++i) labels.push_back(i % 3);
        return labels;
      }(),
      ClassSet::numbered(3));
  const std::vector<Settings> settings{
      PublicSettings{},
      PublicSettings{.clip = {Rational(1, 2), Rational(3, 2)}, .mechanism = SelectionMechanism::permute_and_flip},
      PublicKSettings{.k = 3},
      MeanSettings{.shrinkage = Shrinkage{}},
      MeanSettings{.transform = TransformSpec::parse("whiten:5"), .shrinkage = Shrinkage{}},
      AutoSettings{}};
  for (const std::string transform : {"none", "whiten:5"}) {
    const TempDir dir;
    build_pool(source(), with(transform), dir.path("p.pool"));
    for (const Settings& of : settings) {
      const auto model_bytes = [&](const std::string& pool) {
        SeededRandom random(3);
        const Model model = fit(data, PublicData::open(pool), {.settings = of},
                                Budget::unledgered(BudgetSpec::zcdp(Rational(1, 2))), random);
        save_model(model, dir.path("m.dppl"));
        return read_text(dir.path("m.dppl"));
      };
      const std::string expected = model_bytes(dir.path("p.pool"));
      for (const size_t count : kCuts) {
        const TempDir parts;
        EXPECT_EQ(model_bytes(build_manifest(parts, count, transform)), expected) << method_name(of) << count;
      }
    }
  }
}

TEST(PoolShards, AManifestMovesWithItsShards) {
  const TempDir dir;
  std::filesystem::create_directories(dir.path("a/parts"));
  std::vector<std::string> paths;
  for (size_t i = 1; i <= 2; ++i) {
    paths.push_back(dir.path("a/parts/part " + std::to_string(i) + ".pool"));
    build_pool(source(), with("none", {i, 2}), paths.back());
  }
  const PoolInfo info = commit_pool(paths, dir.path("a/p.pools"));
  EXPECT_EQ(info.shards[0].file, "parts/part 1.pool");
  std::filesystem::rename(dir.path("a"), dir.path("b"));
  EXPECT_EQ(PublicData::open(dir.path("b/p.pools")).digest(), info.digest);
}

TEST(PoolShards, AreCommittedInAnyOrder) {
  const TempDir dir;
  std::vector<std::string> paths = build_shards(dir, 12, "none");
  const std::string digest = commit_pool(paths, dir.path("p.pools")).digest, text = read_text(dir.path("p.pools"));
  std::sort(paths.begin(), paths.end());  // 1, 10, 11, 12, 2, …
  EXPECT_EQ(commit_pool(paths, dir.path("q.pools")).digest, digest);
  EXPECT_EQ(read_text(dir.path("q.pools")), text);
}

TEST(PoolShards, ThatDoNotBelongTogetherAreRefused) {
  const TempDir dir;
  const std::vector<std::string> three = build_shards(dir, 3, "center"), two = build_shards(dir, 2, "center", "half");
  const auto other = [&](const std::string& name, const PublicData& rows, const PoolOptions& options) {
    build_pool(rows, options, dir.path(name));
    return dir.path(name);
  };
  const std::string shifted = other("other-x.pool", source(2), with("center", {2, 3})),
                    none = other("none.pool", source(), with("none", {2, 3})),
                    fewer = other("fewer.pool", PublicData::from_memory(random_floats(240, 1), kDim),
                                  with("center", {2, 3})),
                    narrow = other("narrow.pool", PublicData::from_memory(random_floats(kRows * 4, 1), 4),
                                   with("center", {2, 3}));
  const std::string no_pool = dir.file("x.npy", "no pool");
  const size_t before = dir.entries();
  const auto refused = [&](const std::vector<std::string>& paths, std::initializer_list<std::string_view> words) {
    expect_error<InvalidInput>([&] { commit_pool(paths, dir.path("p.pools")); }, words);
    EXPECT_EQ(dir.entries(), before);
  };
  refused({three[0], three[2]}, {"rows 100 to 200 are missing before", three[2]});
  refused({three[1], three[2]}, {"rows 0 to 100 are missing before", three[1]});
  refused({three[0], three[1]}, {"rows 200 to 300 are missing behind", three[1]});
  refused({three[0], three[1], three[1], three[2]}, {three[1], "holds rows 100 to 200", "name every shard once"});
  refused({two[0], three[1], three[2]}, {three[1], "rows 100 to 200", "rows 0 to 150", two[0]});
  refused({three[0], shifted, three[2]}, {shifted, "other rows"});
  refused({three[0], none, three[2]}, {none, "after none", "after center"});
  refused({three[0], fewer, three[2]}, {fewer, "of a pool of 20 rows", "300"});
  refused({three[0], narrow, three[2]}, {narrow, "of 4 values", "12"});
  refused({DPPL_SOURCE_DIR "/tests/data/pool_v1.pool"}, {"version 1"});
  refused({no_pool}, {"x.npy", "is not a pool file"});
}

TEST(PoolShards, OpeningFindsWhatWasChangedSince) {
  const TempDir dir;
  const std::string path = build_manifest(dir, 3, "none"), part = dir.path("part-2.pool"), good = read_text(part);
  PublicData::open(path);
  expect_error<InvalidInput>([&] { PublicData::open(part); }, {part, "is a shard", "rows 100 to 200 of 300", "commit"});
  EXPECT_FALSE(read_pool_info(part).is_whole());
  std::filesystem::remove(part);
  expect_error<IoError>([&] { PublicData::open(path); }, {part, "cannot open"});
  std::string bad = good;
  bad[600] = static_cast<char>(bad[600] ^ 1);
  dir.file("part-2.pool", bad);
  expect_error<InvalidInput>([&] { PublicData::open(path); }, {part, "changed or damaged"});
  // Another shard of the same shape, whole in itself.
  build_pool(source(2), with("none", {2, 3}), part);
  expect_error<InvalidInput>([&] { PublicData::open(path); }, {part, "is not the file that", path});
  dir.file("part-2.pool", good);
  PublicData::open(path);
}

TEST(PoolShards, MoreThanThereAreRowsAreRefused) {
  const TempDir dir;
  expect_error<InvalidInput>(
      [&] {
        build_pool(source(), with("none", {1, 301}), dir.path("p.pool"));
      },
      {"shard 1/301", "300 rows", "at most 300"});
  EXPECT_EQ(dir.entries(), 0u);
}

// Kilobytes of mapped files that this process holds in memory.
size_t resident_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssFile:")) return std::stoul(line.substr(8));
  }
  return 0;
}

TEST(PoolShards, AreStreamedWhereTheyAreLarge) {
  constexpr size_t rows = 200'000, dim = 128;
  const TempDir dir;
  std::vector<std::string> parts;
  {
    std::vector<int8_t> values(rows * dim);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int8_t>((i * i) % 251 + 1);
    const PublicData large = PublicData::view({.data = values.data(), .rows = rows, .dim = dim, .dtype = DType::int8});
    for (size_t i = 1; i <= 3; ++i) {
      parts.push_back(dir.path(std::to_string(i)));
      build_pool(large, {.shard = {i, 3}}, parts.back());
    }
  }
  set_resident_mappings(1 << 20);
  commit_pool(parts, dir.path("p.pools"));
  const size_t before = resident_kilobytes();
  // The files have 36 MB, 6 of them digests.
  constexpr size_t kLittle = 20 * 1024;
  const PublicData pool = PublicData::open(dir.path("p.pools"));
  EXPECT_LT(resident_kilobytes(), before + kLittle);
  const PublicTransform center = PublicTransform::compute(TransformSpec::parse("center"), dim, pool);
  EXPECT_LT(resident_kilobytes(), before + kLittle);
  set_resident_mappings(kResidentMappings);
  const PublicData again = PublicData::open(dir.path("p.pools"));
  EXPECT_GT(resident_kilobytes(), before + kLittle);
}

// Leaves hold several rows of a large pool; every part agrees on how many.
TEST(PoolShards, LeavesFollowFromTheWhole) {
  EXPECT_EQ(leaf_rows(1), 1u);
  EXPECT_EQ(leaf_rows(1 << 20), 1u);
  EXPECT_EQ(leaf_rows((1 << 20) + 1), 2u);
  EXPECT_EQ(leaf_rows(10'000'000), 16u);
  EXPECT_EQ(leaf_rows(1'000'000'000), 1024u);
  const size_t rows = (1 << 20) + 3;
  std::vector<float> values(rows * 2);
  for (size_t i = 0; i < rows; ++i) {
    values[2 * i] = static_cast<float>(i % 251) - 120.5f;
    values[2 * i + 1] = static_cast<float>(i % 7) + 1;
  }
  const PublicData large = PublicData::from_memory(std::move(values), 2);
  const TempDir dir;
  const PoolInfo whole = build_pool(large, {}, dir.path("p.pool"));
  std::vector<std::string> parts;
  for (size_t i = 1; i <= 3; ++i) {
    parts.push_back(dir.path(std::to_string(i)));
    const PoolInfo part = build_pool(large, {.shard = {i, 3}}, parts.back());
    EXPECT_EQ(part.first_row % 2, 0u);
  }
  EXPECT_EQ(commit_pool(parts, dir.path("p.pools")).digest, whole.digest);
  EXPECT_EQ(PublicData::open(dir.path("p.pools")).digest(), whole.digest);
}

}  // namespace
}  // namespace dppl
