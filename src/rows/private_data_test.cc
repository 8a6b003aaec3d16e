#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>

#include "dppl/embeddings.h"
#include "dppl/error.h"
#include "rows/private_access.h"
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

template <typename T>
concept Printable = requires(std::ostream& out, const T& value) {
  out << value;
};
template <typename T>
concept Counted = requires(const T& value) {
  value.size();
};

// Private records have no way out by accident.
static_assert(!std::is_copy_constructible_v<PrivateData> && !std::is_copy_assignable_v<PrivateData>);
static_assert(std::is_nothrow_move_constructible_v<PrivateData>);
static_assert(!Printable<PrivateData> && Printable<int>);
static_assert(!fmt::is_formattable<PrivateData>::value && fmt::is_formattable<int>::value);
static_assert(!std::is_constructible_v<nlohmann::json, PrivateData> && std::is_constructible_v<nlohmann::json, int>);
static_assert(!Counted<PrivateData> && Counted<PublicData>);
static_assert(std::is_copy_constructible_v<PublicData>);

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(PrivateData, OpensRowsAndLabels) {
  const TempDir dir;
  write_npy(dir.path("x.npy"), std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, 2);
  write_npy(dir.path("y.npy"), std::vector<int64_t>{0, 1, 2, 0});
  const PrivateData data = PrivateData::open({dir.path("x.npy"), dir.path("y.npy")}, ClassSet::numbered(3));
  EXPECT_EQ(data.dim(), 2u);
  EXPECT_EQ(data.classes().size(), 3u);
  const PrivateAccess access(data);
  ASSERT_EQ(access.size(), 4u);
  EXPECT_EQ(access.labels()[2], 2);
  std::vector<float> scratch(2);
  EXPECT_EQ(access.row_view(2, scratch)[1], 6);
}

TEST(PrivateData, ChosenRowsAlone) {
  const TempDir dir;
  write_npy(dir.path("x.npy"), std::vector<float>{1, 2, kNan, 4, 5, 6, 0, 0}, 2);
  write_npy(dir.path("y.npy"), std::vector<int64_t>{0, 1, 2, 0});
  const auto open = [&](const std::vector<int64_t>& rows) {
    write_npy(dir.path("rows.npy"), rows);
    return PrivateData::open({dir.path("x.npy"), dir.path("y.npy"), dir.path("rows.npy")}, ClassSet::numbered(3));
  };
  const PrivateData data = open({2, 0});
  const PrivateAccess access(data);
  ASSERT_EQ(access.size(), 2u);
  EXPECT_EQ(access.labels()[0], 2);
  EXPECT_EQ(access.labels()[1], 0);
  std::vector<float> scratch(2);
  EXPECT_EQ(access.row_view(0, scratch)[0], 5);
  EXPECT_EQ(access.row_of(1), 0u);
  expect_private_error([&] { open({0, 1}); }, {dir.path("x.npy"), "not finite"}, {"row 1 has nan at position 0"});
  expect_private_error([&] { open({3}); }, {dir.path("x.npy"), "no value but zeros"}, {"row 3"});
  expect_private_error([&] { open({4}); }, {dir.path("rows.npy")}, {"entry 0 is row 4", "4 rows"});
  expect_private_error([&] { open({0, 0}); }, {"named twice"}, {"row 0"});
}

// Shapes and sizes of private files tell the number of records.
TEST(PrivateData, BrokenFilesDoNotTellHowManyRecordsThereAre) {
  const TempDir dir;
  const std::string x = npy_bytes("<f4", "(77, 2)", raw(std::vector<float>(154, 1)));
  const std::string y = npy_bytes("<i8", "(77,)", raw(std::vector<int64_t>(77)));
  const auto open = [&](const std::string& rows, const std::string& labels) {
    return PrivateData::open({dir.file("x.npy", rows), dir.file("y.npy", labels)}, ClassSet::numbered(3));
  };
  expect_private_error([&] { open(x.substr(0, x.size() - 1), y); }, {dir.path("x.npy"), "cut short"},
                       {"(77, 2)", "616"});
  expect_private_error([&] { open(x, y + "."); }, {dir.path("y.npy"), "something else follows"}, {"(77)", "616"});
  const std::string fewer = npy_bytes("<i8", "(76,)", raw(std::vector<int64_t>(76)));
  expect_private_error([&] { open(x, fewer); }, {dir.path("x.npy"), dir.path("y.npy")}, {"76 labels for 77 rows"});
  const std::string wide = npy_bytes("<f4", "(0, 1000077)", "");
  expect_private_error([&] { open(wide, y); }, {dir.path("x.npy"), "1000000"}, {"1000077"});
}

TEST(PrivateData, RefusesWhatDoesNotFit) {
  const ClassSet classes = ClassSet::numbered(2);
  expect_private_error(
      [&] {
        PrivateData::from_memory({1, 2, 3, 4}, 2, {0}, classes);
      },
      {"one label per row"}, {"1 labels for 2 rows"});
  expect_private_error([&] { PrivateData::from_memory({1, 2}, 2, {2}, classes); }, {"0…1"}, {"row 0 has label 2"});
  expect_private_error(
      [&] {
        PrivateData::from_memory({1, 2, 3}, 2, {0}, classes);
      },
      {"do not make rows of 2"}, {"3 "});
  expect_private_error(
      [&] {
        PrivateData::from_memory({1, 2, 3, -kInfinity}, 2, {0, 1}, classes);
      },
      {"not finite"}, {"row 1 has -inf at position 1"});
  // No record at all is a neighbour of one record, so it is valid.
  const PrivateData none = PrivateData::from_memory({}, 2, {}, classes);
  EXPECT_EQ(PrivateAccess(none).size(), 0u);
}

// Whether a pool of this type, whose other values are all usable, is refused for this one bad row.
template <typename T>
void expect_row_refused(const std::string& descr, T good, const std::vector<T>& bad_row, std::string_view word) {
  const TempDir dir;
  const size_t dim = bad_row.size(), rows = 9;
  for (const size_t at : {size_t{0}, size_t{4}, rows - 1}) {
    std::vector<T> values(rows * dim, good);
    std::copy(bad_row.begin(), bad_row.end(), values.begin() + static_cast<ptrdiff_t>(at * dim));
    const std::string path = dir.file("x.npy", npy_bytes(descr, fmt::format("({}, {})", rows, dim), raw(values)));
    expect_error<InvalidInput>([&] { PublicData::open(path); }, {path, fmt::format("row {} ", at), word});
  }
}

TEST(PublicData, FindsEveryBadValueInEveryType) {
  constexpr size_t dim = 37;  // whole vectors and a tail
  for (size_t at = 0; at < dim; ++at) {
    const std::string position = fmt::format("at position {},", at);
    const auto with = [&](auto good, auto bad) {
      std::vector<decltype(good)> row(dim, good);
      row[at] = bad;
      return row;
    };
    for (const float bad : {kNan, -kNan, kInfinity, -kInfinity}) {
      expect_row_refused<float>("<f4", 1, with(1.0f, bad), position);
      expect_row_refused<double>("<f8", 1, with(1.0, static_cast<double>(bad)), position);
    }
    expect_row_refused<double>("<f8", 1, with(1.0, -1e300), position);
    for (const uint16_t bad : std::initializer_list<uint16_t>{0x7c00, 0xfc00, 0x7c01, 0xfe00}) {
      expect_row_refused<uint16_t>("<f2", 0x3c00, with(uint16_t{0x3c00}, bad), position);
    }
  }
}

TEST(PublicData, FindsRowsOfZeros) {
  const char* word = "has no value but zeros";
  expect_row_refused<float>("<f4", 1, std::vector<float>(37), word);
  expect_row_refused<float>("<f4", 1, std::vector<float>(37, -0.0f), word);
  expect_row_refused<double>("<f8", 1, std::vector<double>(37, 1e-300), word);
  expect_row_refused<uint16_t>("<f2", 0x3c00, std::vector<uint16_t>(37, 0x8000), word);
  expect_row_refused<int8_t>("|i1", 1, std::vector<int8_t>(37), word);
  expect_row_refused<uint8_t>("|u1", 1, std::vector<uint8_t>(37), word);
}

TEST(PublicData, AcceptsTheExtremesOfEveryType) {
  const TempDir dir;
  using Limits = std::numeric_limits<float>;
  const auto accepted = [&](const char* descr, const std::string& data) {
    EXPECT_EQ(PublicData::open(dir.file("x.npy", npy_bytes(descr, "(2, 2)", data))).size(), 2u) << descr;
  };
  accepted("<f4", raw<float>({Limits::max(), Limits::lowest(), 0, Limits::denorm_min()}));
  accepted("<f8", raw<double>({Limits::max(), Limits::lowest(), 0, Limits::denorm_min()}));
  accepted("<f2", raw<uint16_t>({0x7bff, 0xfbff, 0, 1}));
  accepted("|i1", raw<int8_t>({-128, 127, 0, 1}));
  accepted("|u1", raw<uint8_t>({255, 0, 0, 1}));
}

TEST(PublicData, NamesTheFirstBadRowWithAnyNumberOfThreads) {
  constexpr size_t rows = 50'000, dim = 64;  // several blocks of work
  for (const unsigned threads : {0u, 1u, 2u, 5u}) {
    std::vector<float> values(rows * dim, 1.0f);
    values[49'999 * dim] = values[30'001 * dim + 5] = values[30'002 * dim] = kNan;
    expect_error<InvalidInput>([&] { PublicData::from_memory(values, dim, threads); },
                               {"row 30001 has nan at position 5"});
  }
}

TEST(PublicData, DigestDependsOnTypeShapeAndValues) {
  const PublicData pool = PublicData::from_memory({1, 2, 3, 4}, 2);
  const PublicData copy = pool;
  EXPECT_EQ(copy.embeddings().row_bytes(0).data(), pool.embeddings().row_bytes(0).data());
  EXPECT_EQ(copy.dim(), 2u);
  // Computed independently with Python: hashlib.blake2b(b"float32 2 2\n" + struct.pack("<4f", 1, 2, 3, 4),
  // digest_size=32).
  EXPECT_EQ(pool.digest(), "0386d482b570595387dbfac6e39dada8cd1e2d2f2b77b8e777bc738d6ed39c93");
  EXPECT_EQ(copy.digest(), pool.digest());
  EXPECT_NE(PublicData::from_memory({1, 2, 3, 4}, 4).digest(), pool.digest());
  EXPECT_NE(PublicData::from_memory({1, 2, 3, 5}, 2).digest(), pool.digest());
  const TempDir dir;
  write_npy(dir.path("x.npy"), std::vector<float>{1, 2, 3, 4}, 2);
  EXPECT_EQ(PublicData::open(dir.path("x.npy")).digest(), pool.digest());
  const std::string as_bytes = dir.file("u.npy", npy_bytes("|u1", "(2, 8)", raw<float>({1, 2, 3, 4})));
  EXPECT_NE(PublicData::open(as_bytes).digest(), pool.digest());
  EXPECT_THROW(PublicData::from_memory({}, 2), InvalidInput);
}

}  // namespace
}  // namespace dppl
