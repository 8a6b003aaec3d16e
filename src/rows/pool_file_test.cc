#include "rows/pool_file.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "base/digest.h"
#include "dppl/error.h"
#include "dppl/fit.h"
#include "kernels/row_math.h"
#include "support/expect_error.h"
#include "support/sealed_pool.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::read_text;
using testing::seal_pool_file;
using testing::TempDir;

constexpr size_t kDim = 12, kRows = 300;

std::vector<float> random_values(size_t count, uint64_t seed) {
  SeededRandom random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.next64() >> 40) * 0x1p-24f - 0.4f;
  return values;
}

PublicData source() { return PublicData::from_memory(random_values(kRows * kDim, 1), kDim); }

PoolOptions with(const std::string& transform, size_t window = 1) {
  PoolOptions options;
  options.transform = TransformSpec::parse(transform);
  options.transform.window = window;
  return options;
}

std::shared_ptr<const PoolFile> parse(const std::string& bytes) {
  const auto copy = std::make_shared<std::string>(bytes);
  return PoolFile::parse(copy, std::as_bytes(std::span(*copy)), "p.pool", 2);
}

void expect_refused(const std::string& bytes, std::string_view words) {
  expect_error<InvalidInput>([&] { parse(bytes); }, {"p.pool", words});
}

std::string built(const PoolOptions& options) {
  const TempDir dir;
  build_pool(source(), options, dir.path("p.pool"));
  EXPECT_EQ(dir.entries(), 1u);
  return read_text(dir.path("p.pool"));
}

std::string sealed(std::string bytes) {
  seal_pool_file(std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

TEST(PoolFile, HoldsTheTransformedRows) {
  for (const auto& options : {with("none"), with("center"), with("whiten:5"), with("pca:3", 2), with("none", 3)}) {
    const auto pool = parse(built(options));
    const PublicData data = source();
    const PublicTransform transform = PublicTransform::compute(options.transform, kDim, data);
    EXPECT_EQ(pool->info().transform, options.transform);
    EXPECT_EQ(pool->info().rows, kRows);
    EXPECT_EQ(pool->info().dim, transform.output_dim());
    EXPECT_EQ(pool->info().input_dim, kDim);
    EXPECT_EQ(pool->info().source_digest, data.digest());
    std::vector<float> raw(kDim), row(transform.output_dim());
    for (size_t i = 0; i < kRows; ++i) {
      data.embeddings().row(i, raw);
      transform.apply(raw, row);
      const double length = std::sqrt(sum_of_squares(row.data(), row.size()));
      for (size_t k = 0; k < row.size(); ++k) {
        const float stored = static_cast<float>(pool->rows().row(i)[k]) * pool->scales()[i];
        EXPECT_NEAR(static_cast<double>(stored), static_cast<double>(row[k]), 0.0081 * length);
      }
      EXPECT_EQ(pool->ids()[i], i);
    }
  }
}

TEST(PoolFile, TheSameInputGivesTheSameBytesWithAnyThreads) {
  PoolOptions options = with("whiten:4");
  options.threads = 1;
  const std::string one = built(options);
  options.threads = 3;
  EXPECT_EQ(built(options), one);
  // Version 2 stays as it is: these bytes must be readable and written for ever.
  const std::string plain = built(with("none"));
  EXPECT_EQ(to_hex(digest_of(std::as_bytes(std::span(plain)))),
            "929b7dea49623cd2afbe11b1fae176c89d28e8af3c393fcca8ec77a86f3be709");
  EXPECT_EQ(parse(plain)->info().digest, "7b0917915a03ab9021a429124048b81d2c29ba80d591ced7cca39792da83b9f3");
}

// A file that dppl wrote before there were shards, and the identity by which models know it.
TEST(PoolFile, Version1IsReadable) {
  const std::string path = DPPL_SOURCE_DIR "/tests/data/pool_v1.pool", bytes = read_text(path);
  const PublicData data = PublicData::open(path);
  EXPECT_EQ(data.digest(), "b270bc667709a6b90c8725455c2783db191e5e1fc27fd8691c90c091e581f353");
  EXPECT_EQ(data.size(), 40u);
  EXPECT_EQ(data.dim(), 8u);
  EXPECT_EQ(stored_transform(data), TransformSpec::parse("pca:3"));
  const PoolInfo info = read_pool_info(path);
  EXPECT_EQ(info.version, 1u);
  EXPECT_TRUE(info.is_whole());
  EXPECT_EQ(info.source_digest, "bb1595336926dcf7dd844317bb54e1df0a96b1835586af94ad7ca742478b4db5");
  EXPECT_EQ(parse(bytes)->ids()[39], 39u);
  EXPECT_EQ(sealed(bytes), bytes);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string bad = bytes;
    bad[i] = static_cast<char>(bad[i] ^ 0x20);
    EXPECT_THROW(parse(bad), InvalidInput) << i;
  }
}

TEST(PoolFile, EveryChangedByteIsFound) {
  const std::string good = built(with("whiten:4"));
  parse(good);
  for (size_t i = 0; i < good.size(); i += 7) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x20);
    EXPECT_THROW(parse(bad), InvalidInput) << i;
  }
  for (const size_t size : {size_t{0}, size_t{7}, size_t{100}, size_t{511}, size_t{512}, good.size() - 1}) {
    expect_refused(good.substr(0, size), size < 8 ? "is not a pool file" : "cut short");
  }
  expect_refused(good + "x", "follows its end");
}

TEST(PoolFile, ANewerVersionIsNamed) {
  std::string newer = built(with("none"));
  newer[8] = 3;
  expect_refused(newer, "newer dppl");
  expect_refused(sealed(newer), "newer dppl");
}

// Whoever seals a wrong file: the rows must still be what the scores' bound rests on, and no number may lead astray.
TEST(PoolFile, WellSealedNonsenseIsRefused) {
  const std::string good = built(with("none"));
  const size_t values = 512, factors = (values + kRows * kDim + 63) / 64 * 64,
               sums = (factors + 4 * kRows + 63) / 64 * 64, scales = (sums + 4 * kRows + 63) / 64 * 64;
  EXPECT_EQ(sealed(good), good);
  const auto changed = [&](size_t offset, auto value) {
    std::string bad = good;
    std::memcpy(bad.data() + offset, &value, sizeof value);
    return sealed(bad);
  };
  uint32_t factor;
  std::memcpy(&factor, good.data() + factors, 4);
  expect_refused(changed(factors, factor + 1), "row 0");
  expect_refused(changed(factors, factor - 1), "row 0");
  expect_refused(changed(factors, 0), "row 0");
  expect_refused(changed(scales, std::bit_cast<uint32_t>(3e38f)), "row 0");
  expect_refused(changed(factors, std::numeric_limits<uint32_t>::max()), "row 0");
  expect_refused(changed(sums + 4, int32_t{-5000}), "row 1");
  expect_refused(changed(values, static_cast<int8_t>(-128)), "row 0");
  expect_refused(changed(scales, std::numeric_limits<float>::quiet_NaN()), "row 0");
  expect_refused(changed(12, uint32_t{77}), "header");  // transform
  expect_refused(changed(16, uint64_t{0}), "header");   // rows
  expect_refused(changed(16, std::numeric_limits<uint64_t>::max()), "header");
  expect_refused(changed(24, uint64_t{kDim + 1}), "header");    // dim
  expect_refused(changed(32, uint64_t{1} << 40), "header");     // input_dim
  expect_refused(changed(48, uint64_t{0}), "header");           // average_pool
  expect_refused(changed(56, uint64_t{12}), "header");          // file_size
  expect_refused(changed(300, char{1}), "header");              // zeros
  expect_refused(changed(136, uint64_t{kRows - 1}), "header");  // of the whole: fewer than here
  expect_refused(changed(136, uint64_t{1} << 33), "header");
  expect_refused(changed(144, uint64_t{1}), "header");                     // first
  expect_refused(changed(136, uint64_t{kRows + 1}), "header");             // a part has no content digest
  expect_refused(changed(values + kRows * kDim + 3, char{1}), "damaged");  // between sections
}

// Read, checked, digested and quantised in one pass; the same file as from rows that were checked before.
TEST(PoolFile, IsMadeOfFilesInOnePass) {
  const TempDir dir;
  const std::vector<float> values = random_values(kRows * kDim, 1);
  write_npy(dir.path("x.npy"), values, kDim);
  const auto part = [&](const std::string& name, size_t begin, size_t end) {
    write_npy(dir.path(name), std::span(values).subspan(begin * kDim, (end - begin) * kDim), kDim);
    return dir.path(name);
  };
  const std::vector<std::string> parts{part("a.npy", 0, 7), part("b.npy", 7, 7), part("c.npy", 7, kRows)};
  for (const std::string transform : {"none", "whiten:4"}) {
    const std::string expected = built(with(transform));
    build_pool({dir.path("x.npy")}, with(transform), dir.path("p.pool"));
    EXPECT_EQ(read_text(dir.path("p.pool")), expected);
    std::filesystem::remove(dir.path("p.pool"));
    build_pool(parts, with(transform), dir.path("p.pool"));
    EXPECT_EQ(read_text(dir.path("p.pool")), expected);
    std::filesystem::remove(dir.path("p.pool"));
  }
  const size_t before = dir.entries();
  const auto refused = [&](const std::vector<std::string>& sources, std::initializer_list<std::string_view> words) {
    for (const char* transform : {"none", "center"}) {
      expect_error<InvalidInput>([&] { build_pool(sources, with(transform), dir.path("p.pool")); }, words);
    }
    EXPECT_EQ(dir.entries(), before);
  };
  std::vector<float> bad = values;
  bad[290 * kDim + 3] = NAN;
  write_npy(dir.path("a.npy"), bad, kDim);
  refused({dir.path("x.npy"), dir.path("a.npy")}, {"x.npy and 1 more", "row 590 has nan at position 3"});
  std::fill_n(bad.begin() + 5 * kDim, kDim, 0.0f);
  write_npy(dir.path("a.npy"), bad, kDim);
  refused({dir.path("a.npy")}, {"a.npy", "row 5 is zero"});
  write_npy(dir.path("a.npy"), bad, 6);
  refused({dir.path("x.npy"), dir.path("a.npy")}, {"a.npy", "same type and dimension", "x.npy", "6 float32"});
  write_npy(dir.path("a.npy"), std::vector<float>{}, kDim);
  refused({dir.path("a.npy")}, {"a.npy", "no rows"});
  expect_error<InvalidInput>([&] { build_pool(std::vector<std::string>{}, {}, dir.path("p.pool")); }, {"nothing"});
}

TEST(PoolFile, WhatIsThereIsLeftAlone) {
  const TempDir dir;
  const std::string path = dir.path("p.pool");
  std::vector<std::string> notes;
  const auto build = [&](const PublicData& rows, PoolOptions options) {
    options.note = [&](const std::string& what) { notes.push_back(what); };
    notes.clear();
    const PoolInfo info = build_pool(rows, options, path);
    EXPECT_EQ(info.digest, read_pool_info(path).digest);
    return !notes.empty();
  };
  const auto shard = [](size_t number, size_t count, const std::string& transform = "center") {
    PoolOptions options = with(transform);
    options.shard = {number, count};
    return options;
  };
  EXPECT_FALSE(build(source(), shard(2, 3)));
  const auto written = std::filesystem::last_write_time(path);
  const std::string good = read_text(path);
  EXPECT_TRUE(build(source(), shard(2, 3)));
  EXPECT_NE(notes.at(0).find("p.pool: is there already"), std::string::npos);
  EXPECT_EQ(std::filesystem::last_write_time(path), written);
  // Anything else is written again: another part, transform, source, or a damaged file.
  EXPECT_FALSE(build(source(), shard(1, 3)));
  EXPECT_FALSE(build(source(), shard(2, 4)));
  EXPECT_FALSE(build(source(), shard(2, 4, "none")));
  EXPECT_FALSE(build(source(), shard(2, 3)));
  const PublicData other = PublicData::from_memory(random_values(kRows * kDim, 2), kDim);
  EXPECT_FALSE(build(other, shard(2, 3)));
  EXPECT_FALSE(build(source(), shard(2, 3)));
  EXPECT_EQ(read_text(path), good);
  for (const std::string& bad : {std::string("no pool"), good.substr(0, good.size() - 1), good.substr(0, 600)}) {
    dir.file("p.pool", bad);
    EXPECT_FALSE(build(source(), shard(2, 3)));
    EXPECT_EQ(read_text(path), good);
  }
  // Other rows of the same pool.
  build_pool(source(), with("none"), dir.path("whole.pool"));
  const PublicData whole = PublicData::open(dir.path("whole.pool"));
  for (const int64_t row : {7, 8}) {
    PoolOptions some = with("none");
    write_npy(dir.path("rows.npy"), std::vector<int64_t>{1, row});
    some.rows = dir.path("rows.npy");
    EXPECT_FALSE(build(whole, some));
    EXPECT_TRUE(build(whole, some));
    EXPECT_EQ(PoolFile::open(path, 1)->ids()[1], static_cast<uint64_t>(row));
  }
  std::string damaged = good;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  dir.file("p.pool", damaged);
  EXPECT_FALSE(build(source(), shard(2, 3)));
  EXPECT_EQ(read_text(path), good);
}

// Rows that were transformed are no embeddings any more.
TEST(PoolFile, IsMadeOfAPoolWithoutATransformOnly) {
  const TempDir dir;
  build_pool(source(), with("none"), dir.path("none.pool"));
  build_pool(source(), with("pca:3"), dir.path("pca.pool"));
  const PoolInfo again = build_pool({dir.path("none.pool")}, with("pca:3"), dir.path("p.pool"));
  EXPECT_EQ(again.dim, 3u);
  EXPECT_EQ(again.source_digest, read_pool_info(dir.path("none.pool")).digest);
  for (const char* transform : {"none", "pca:3", "center"}) {
    expect_error<InvalidInput>([&] { build_pool({dir.path("pca.pool")}, with(transform), dir.path("q.pool")); },
                               {"pca.pool", "after pca:3 already"});
  }
}

TEST(PoolFile, RowsCanBeChosen) {
  const TempDir dir;
  write_npy(dir.path("rows.npy"), std::vector<int64_t>{7, 3, 299});
  PoolOptions options = with("none");
  options.rows = dir.path("rows.npy");
  build_pool(source(), options, dir.path("p.pool"));
  const auto pool = PoolFile::open(dir.path("p.pool"), 1);
  EXPECT_EQ((std::vector<uint64_t>(pool->ids().begin(), pool->ids().end())), (std::vector<uint64_t>{7, 3, 299}));
  // In shards, too; and the source's digest is that of the rows that were read.
  options.shard = {2, 2};
  const PoolInfo part = build_pool(source(), options, dir.path("q.pool"));
  const auto half = PoolFile::open(dir.path("q.pool"), 1);
  EXPECT_EQ((std::vector<uint64_t>(half->ids().begin(), half->ids().end())), (std::vector<uint64_t>{3, 299}));
  std::vector<float> rows(2 * kDim);
  source().embeddings().row(3, std::span(rows).first(kDim));
  source().embeddings().row(299, std::span(rows).last(kDim));
  EXPECT_EQ(part.source_digest, PublicData::from_memory(rows, kDim).digest());
}

// A fit with a pool file and one with the .npy it was made of choose by the same scores.
TEST(PoolFile, FitsLikeItsSource) {
  const TempDir dir;
  for (const std::string transform : {"none", "whiten:5"}) {
    build_pool(source(), with(transform), dir.path("p.pool"));
    const PublicData from_file = PublicData::open(dir.path("p.pool")), from_memory = source();
    EXPECT_EQ(from_file.dim(), kDim);
    const PrivateData data =
        PrivateData::from_memory(random_values(60 * kDim, 5), kDim, std::vector<int64_t>(60, 1), ClassSet::numbered(2));
    FitOptions options{.settings = PublicSettings{.transform = TransformSpec::parse(transform)}};
    const auto model = [&](const PublicData& pool) {
      SeededRandom random(3);
      return fit(data, pool, options, Budget::unledgered(BudgetSpec::pure(1)), random);
    };
    const Model expected = model(from_memory), same = model(from_file);
    EXPECT_EQ(same.pool_indices, expected.pool_indices);
    for (size_t k = 0; k < expected.prototypes.size(); ++k)
      EXPECT_NEAR(static_cast<double>(same.prototypes[k]), static_cast<double>(expected.prototypes[k]),
                  transform == "none" ? 0.01 : 0.05);
    EXPECT_EQ(same.pool->digest, from_file.digest());
    // Without being told.
    options.settings = PublicSettings{};
    EXPECT_EQ(transform_of(model(from_file).settings), TransformSpec::parse(transform));
    options.settings = PublicSettings{.transform = TransformSpec::parse("pca:2")};
    if (transform == "none") {
      EXPECT_EQ(model(from_file).transform.output_dim(), 2u);
    } else {
      expect_error<InvalidInput>([&] { model(from_file); }, {"whiten:5", "build another"});
    }
  }
}

}  // namespace
}  // namespace dppl
