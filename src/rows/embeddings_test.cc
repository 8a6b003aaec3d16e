#include "dppl/embeddings.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/float16.h"
#include "dppl/invalid_record.h"
#include "support/expect_error.h"
#include "support/expect_private_error.h"
#include "support/npy_bytes.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::expect_private_error;
using testing::npy_bytes;
using testing::npy_with_header;
using testing::raw;
using testing::TempDir;

std::vector<float> row_of(const Embeddings& embeddings, size_t i) {
  std::vector<float> out(embeddings.dim()), scratch(embeddings.dim());
  embeddings.row(i, out);
  const auto view = embeddings.row_view(i, scratch);
  EXPECT_TRUE(std::equal(out.begin(), out.end(), view.begin(), view.end()));
  return out;
}

// By the definition of the format.
float half_by_definition(uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const float sign = half & 0x8000 ? -1.0f : 1.0f;
  if (exponent == 31) return fraction ? std::numeric_limits<float>::quiet_NaN() : sign * HUGE_VALF;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
}

TEST(Float16, EveryValueIsExact) {
  for (uint32_t i = 0; i <= 0xffff; ++i) {
    const auto half = static_cast<uint16_t>(i);
    const float got = half_to_float(half), expected = half_by_definition(half);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(got)) << i;
    } else {
      EXPECT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(expected)) << i;
    }
  }
}

TEST(Float16, RoundsToTheNearestTiesToEven) {
  for (uint32_t i = 0; i < 0x7c00; ++i) {
    const auto half = static_cast<uint16_t>(i), next = static_cast<uint16_t>(i + 1);
    const float value = half_to_float(half), above = i == 0x7bff ? 65536.0f : half_to_float(next);
    const float middle = value + (above - value) / 2;  // exact
    EXPECT_EQ(float_to_half(value), half);
    EXPECT_EQ(float_to_half(-value), half | 0x8000);
    EXPECT_EQ(float_to_half(std::nextafter(middle, 0.0f)), half);
    EXPECT_EQ(float_to_half(middle), half % 2 == 0 ? half : next);
    EXPECT_EQ(float_to_half(std::nextafter(middle, HUGE_VALF)), next);
  }
  EXPECT_EQ(float_to_half(HUGE_VALF), 0x7c00);
  EXPECT_EQ(float_to_half(1e30f), 0x7c00);
  EXPECT_TRUE(std::isnan(half_to_float(float_to_half(NAN))));
}

TEST(Embeddings, ConvertsEveryType) {
  const TempDir dir;
  const auto open = [&](const std::string& bytes) { return Embeddings::open(dir.file("x.npy", bytes)); };
  using Row = std::vector<float>;
  EXPECT_EQ(row_of(open(npy_bytes("<f4", "(2, 2)", raw<float>({1, -2.5f, 3, 1e30f}))), 1), (Row{3, 1e30f}));
  EXPECT_EQ(row_of(open(npy_bytes("<f8", "(1, 3)", raw<double>({0.1, 1 + 0x1p-24, 1 + 0x1.8p-24}))), 0),
            (Row{0.1f, 1.0f, 1 + 0x1p-23f}));
  EXPECT_EQ(row_of(open(npy_bytes("<f2", "(1, 3)", raw<uint16_t>({0x3c00, 0xc000, 0x0001}))), 0),
            (Row{1, -2, 0x1p-24f}));
  EXPECT_EQ(row_of(open(npy_bytes("|i1", "(2, 2)", raw<int8_t>({1, 2, -128, 127}))), 1), (Row{-128, 127}));
  EXPECT_EQ(row_of(open(npy_bytes("|u1", "(1, 2)", raw<uint8_t>({0, 255}))), 0), (Row{0, 255}));
}

TEST(Embeddings, Float32IsNotCopied) {
  const TempDir dir;
  const Embeddings embeddings =
      Embeddings::open(dir.file("x.npy", npy_bytes("<f4", "(2, 2)", raw<float>({1, 2, 3, 4}))));
  EXPECT_EQ(embeddings.rows(), 2u);
  EXPECT_EQ(embeddings.dim(), 2u);
  EXPECT_EQ(embeddings.dtype(), DType::float32);
  EXPECT_EQ(embeddings.path(), dir.path("x.npy"));
  EXPECT_EQ(embeddings.row_bytes(0).size() * embeddings.rows(), 16u);
  std::vector<float> scratch(2);
  EXPECT_EQ(reinterpret_cast<const std::byte*>(embeddings.row_view(1, scratch).data()), embeddings.row_bytes(1).data());
}

TEST(Embeddings, UnalignedFloat32IsCopied) {
  const TempDir dir;
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)}";
  while ((header.size() + 10) % 4 != 1) header += ' ';
  const Embeddings embeddings = Embeddings::open(dir.file("x.npy", npy_with_header(header, raw<float>({1, 2, 3, 4}))));
  std::vector<float> scratch(2);
  EXPECT_EQ(embeddings.row_view(1, scratch).data(), scratch.data());
  EXPECT_EQ(scratch, (std::vector<float>{3, 4}));
}

TEST(Embeddings, RefusesWhatIsNoMatrixOfThem) {
  const TempDir dir;
  const auto refused = [&](const std::string& bytes, std::string_view word) {
    const std::string path = dir.file("x.npy", bytes);
    expect_error<InvalidInput>([&] { Embeddings::open(path); }, {path, word});
  };
  refused(npy_bytes("<f4", "(2,)", raw<float>({1, 2})), "1 dimensions");
  refused(npy_bytes("<f4", "(1, 1, 2)", raw<float>({1, 2})), "3 dimensions");
  refused(npy_bytes("<i8", "(1, 2)", raw<int64_t>({1, 2})), "holds int64");
  refused(npy_bytes("|b1", "(1, 2)", "\x01\x01"), "holds bool");
  for (const char* extent : {"0", "9223372036854775807", "1152921504606846976"}) {
    const std::string path = dir.file("x.npy", npy_bytes("<f4", fmt::format("(0, {})", extent), ""));
    expect_private_error([&] { Embeddings::open(path); }, {path, "between 1 and"},
                         {fmt::format("rows of {} values", extent)});
  }
  refused("", "is empty");
  EXPECT_EQ(Embeddings::open(dir.file("none.npy", npy_bytes("<f4", "(0, 4)", ""))).rows(), 0u);
}

TEST(Embeddings, RefusesWhatIsNoFile) {
  const TempDir dir;
  expect_error<IoError>([&] { Embeddings::open(dir.path("absent.npy")); }, {dir.path("absent.npy"), "cannot open"});
  expect_error<InvalidInput>([&] { Embeddings::open(dir.path("")); }, {"is a directory"});
  ASSERT_EQ(mkfifo(dir.path("pipe").c_str(), 0600), 0);
  expect_error<InvalidInput>([&] { Embeddings::open(dir.path("pipe")); }, {dir.path("pipe"), "is a pipe"});
  expect_error<InvalidInput>([&] { Embeddings::open("/dev/zero"); }, {"a device"});
}

TEST(Embeddings, FilesLargerThanMemoryOpen) {
  const TempDir dir;
  const std::string path = dir.file("big.npy", npy_bytes("<f4", "(10000000, 1000)", ""));
  const uintmax_t header = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, header + uintmax_t{40'000'000'000});  // a hole: takes no space on the disk
  const Embeddings embeddings = Embeddings::open(path);
  EXPECT_EQ(embeddings.rows(), 10'000'000u);
  EXPECT_EQ(row_of(embeddings, 9'999'999), std::vector<float>(1000, 0.0f));
}

TEST(Embeddings, SeveralFilesAreOneMatrix) {
  const TempDir dir;
  const std::vector<std::string> paths{dir.file("a.npy", npy_bytes("<f4", "(2, 2)", raw<float>({1, 2, 3, 4}))),
                                       dir.file("b.npy", npy_bytes("<f4", "(0, 2)", "")),
                                       dir.file("c.npy", npy_bytes("<f4", "(3, 2)", raw<float>({5, 6, 7, 8, 9, 0})))};
  const Embeddings all = Embeddings::open_all(paths);
  EXPECT_EQ(all.rows(), 5u);
  EXPECT_EQ(all.dim(), 2u);
  EXPECT_EQ(all.path(), paths[0] + " and 2 more");
  for (const auto& [i, row] : std::vector<std::pair<size_t, std::vector<float>>>{
           {0, {1, 2}}, {1, {3, 4}}, {2, {5, 6}}, {3, {7, 8}}, {4, {9, 0}}}) {
    EXPECT_EQ(row_of(all, i), row) << i;
  }
  all.expect(0, 5);
  all.give_back(1, 4);
  EXPECT_EQ(row_of(all, 2), (std::vector<float>{5, 6}));
  EXPECT_EQ(Embeddings::open_all({paths[0]}).path(), paths[0]);
  const std::string bytes = dir.file("d.npy", npy_bytes("|u1", "(1, 2)", "ab")),
                    wide = dir.file("e.npy", npy_bytes("<f4", "(1, 3)", raw<float>({1, 2, 3})));
  for (const std::string& other : {bytes, wide}) {
    expect_error<InvalidRecord>(
        [&] {
          Embeddings::open_all({paths[0], other});
        },
        {other, "same type and dimension", paths[0]});
  }
}

TEST(Embeddings, FromMemory) {
  const Embeddings embeddings = Embeddings::from_memory({1, 2, 3, 4, 5, 6}, 3);
  EXPECT_EQ(embeddings.rows(), 2u);
  EXPECT_EQ(row_of(embeddings, 1), (std::vector<float>{4, 5, 6}));
  EXPECT_EQ(Embeddings::from_memory({}, 3).rows(), 0u);
  EXPECT_THROW(Embeddings::from_memory({1, 2}, 3), InvalidInput);
  EXPECT_THROW(Embeddings::from_memory({1, 2}, 0), InvalidInput);
}

TEST(NpyWriter, ReadsBack) {
  const TempDir dir;
  const std::string path = dir.path("out.npy");
  write_npy(path, std::vector<float>{1, 2, 3, 4, 5, 6}, 2);
  const Embeddings embeddings = Embeddings::open(path);
  EXPECT_EQ(embeddings.rows(), 3u);
  EXPECT_EQ(row_of(embeddings, 2), (std::vector<float>{5, 6}));
  write_npy(path, std::vector<int64_t>{-1, 1LL << 40});
  EXPECT_EQ(read_labels(path), (std::vector<int64_t>{-1, 1LL << 40}));
  write_npy(path, std::vector<int32_t>{-7, 8});
  EXPECT_EQ(read_labels(path), (std::vector<int64_t>{-7, 8}));
  EXPECT_EQ(row_of(embeddings, 0), (std::vector<float>{1, 2})) << "the replaced file lives on in its mapping";
  EXPECT_EQ(dir.entries(), 1u);
}

TEST(NpyWriter, StreamsRows) {
  const TempDir dir;
  {
    NpyRowsWriter writer(dir.path("x.npy"), 2);
    for (int i = 0; i < 1000; ++i) writer.append(std::vector<float>{static_cast<float>(i), 1});
    writer.append(std::vector<float>{1, 2, 3, 4});
    EXPECT_THROW(writer.append(std::vector<float>{1}), InvalidInput);
    EXPECT_FALSE(std::filesystem::exists(dir.path("x.npy")));
    writer.commit();
  }
  const Embeddings embeddings = Embeddings::open(dir.path("x.npy"));
  EXPECT_EQ(embeddings.rows(), 1002u);
  EXPECT_EQ(row_of(embeddings, 999), (std::vector<float>{999, 1}));
  EXPECT_EQ(row_of(embeddings, 1001), (std::vector<float>{3, 4}));
  { NpyRowsWriter abandoned(dir.path("y.npy"), 2); }
  EXPECT_EQ(dir.entries(), 1u);
  EXPECT_THROW(NpyRowsWriter(dir.path("z.npy"), 0), InvalidInput);
}

}  // namespace
}  // namespace dppl
