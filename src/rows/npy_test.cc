#include "rows/npy.h"

#include <gtest/gtest.h>

#include "dppl/error.h"
#include "dppl/random.h"
#include "support/expect_error.h"
#include "support/expect_private_error.h"
#include "support/npy_bytes.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::expect_private_error;
using testing::npy_bytes;
using testing::npy_with_header;
using testing::raw;

NpyArray parse(const std::string& file) { return parse_npy(std::as_bytes(std::span(file)), "x.npy"); }

void expect_refused(const std::string& file, std::string_view word) {
  expect_error<InvalidInput>([&] { parse(file); }, {"x.npy: ", word});
}

TEST(Npy, ReadsAllVersions) {
  for (const int version : {1, 2, 3}) {
    const std::string file = npy_bytes("<f4", "(2, 3)", raw<float>({1, 2, 3, 4, 5, 6}), version);
    const NpyArray array = parse(file);
    EXPECT_EQ(array.dtype, DType::float32);
    EXPECT_EQ(array.shape, (std::vector<uint64_t>{2, 3}));
    EXPECT_EQ(array.data.size(), 24u);
    EXPECT_EQ(array.data.data(), std::as_bytes(std::span(file)).data() + file.size() - 24);
  }
}

std::optional<std::vector<std::string>> texts(std::string_view descr, std::string_view shape, std::string_view data) {
  const std::string file = npy_bytes(descr, shape, data);
  return texts_of(std::as_bytes(std::span(file)), "x.npy");
}

TEST(Npy, ReadsTexts) {
  using Texts = std::vector<std::string>;
  // One to four bytes of UTF-8; zeros fill up, and may stand in the middle.
  const std::string wide = raw<uint32_t>({'a', 0, 0, 0xe9, 0x20ac, 0x1f600, 0x10ffff, 0, 'b'});
  EXPECT_EQ(texts("<U3", "(3,)", wide), (Texts{"a", "é€😀", std::string("\xf4\x8f\xbf\xbf\0b", 6)}));
  EXPECT_EQ(texts("|S2", "(2,)", std::string("a\0bc", 4)), (Texts{"a", "bc"}));
  EXPECT_EQ(texts("<U3", "(0,)", ""), Texts{});
  for (const char* other : {"<i8", "<f4", "|b1", ">U3", "<U", "<U-1", "<U3x", "<U4294967295", "|O"}) {
    EXPECT_FALSE(texts(other, "(1,)", "")) << other;
  }
  const auto refused = [](std::string_view descr, std::string_view shape, std::string_view data,
                          std::string_view word) {
    expect_error<InvalidInput>([&] { texts(descr, shape, data); }, {"x.npy: ", word});
  };
  for (const uint32_t none : {0xd800u, 0x110000u, 0xffffffffu})
    refused("<U1", "(1,)", raw<uint32_t>({none}), "no text");
  refused("<U2", "(1, 1)", raw<uint32_t>({'a', 'b'}), "2 dimensions");
  refused("<U2", "(2,)", raw<uint32_t>({'a', 'b'}), "cut short");
  refused("<U2147483647", "(9223372036854775807,)", "", "larger than any file");
  refused("<U0", "(9223372036854775807,)", "", "blank");
}

TEST(Npy, KnowsEveryType) {
  const std::pair<const char*, DType> types[] = {
      {"<f2", DType::float16}, {"<f4", DType::float32}, {"<f8", DType::float64}, {"|i1", DType::int8},
      {"|u1", DType::uint8},   {"<i2", DType::int16},   {"<u2", DType::uint16},  {"<i4", DType::int32},
      {"<u4", DType::uint32},  {"<i8", DType::int64},   {"<u8", DType::uint64},  {"|b1", DType::boolean}};
  for (const auto& [descr, dtype] : types) {
    const std::string file = npy_bytes(descr, "(3,)", std::string(3 * item_size(dtype), '\0'));
    EXPECT_EQ(parse(file).dtype, dtype) << descr;
    EXPECT_EQ(item_size(dtype), static_cast<size_t>(descr[2] - '0'));
  }
  EXPECT_EQ(to_string(DType::float16), "float16");
  EXPECT_EQ(to_string(DType::boolean), "bool");
}

TEST(Npy, ToleratesSpaceQuotesAndKeyOrder) {
  for (const char* header : {"{'shape':(2,2),'fortran_order':False,'descr':'<f4'}",
                             " { \"shape\" :\t( 2 ,2, ) ,\n'descr': \"<f4\" , 'fortran_order' : False , } \r\n ",
                             "{'fortran_order': False, 'descr': '<f4', 'shape': (2, 2)}"}) {
    EXPECT_EQ(parse(npy_with_header(header, std::string(16, '\0'))).shape, (std::vector<uint64_t>{2, 2})) << header;
  }
  EXPECT_TRUE(parse(npy_bytes("<f4", "()", std::string(4, '\0'))).shape.empty());
  EXPECT_EQ(parse(npy_bytes("<f4", "(0, 5)", "")).shape, (std::vector<uint64_t>{0, 5}));
  // One dimension has one order only, and NumPy marks such arrays either way.
  EXPECT_EQ(parse(npy_with_header("{'descr': '|u1', 'fortran_order': True, 'shape': (2,)}", "ab")).data.size(), 2u);
}

TEST(Npy, RefusesWhatIsNoArray) {
  expect_refused("", "empty");
  expect_refused("PK\x03\x04 a zip archive", "not a .npy file");
  expect_refused("\x93NUMPY", "cut short");
  expect_refused(std::string("\x93NUMPY\x01\x00\x10", 9), "cut short");
  expect_refused(std::string("\x93NUMPY\x02\x00\x10\x00\x00", 11), "cut short");
  expect_refused(std::string("\x93NUMPY\x01\x00\xff\xff{}", 12), "cut short");
  expect_refused(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14), "cut short");
  expect_refused(npy_bytes("<f4", "(1,)", "0123", 4), "version 4.0");
  expect_refused(npy_bytes("<f4", "(1,)", "0123", 0), "version 0.0");
}

TEST(Npy, RefusesBrokenHeaders) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "not a dictionary"},
      {"[1, 2]", "not a dictionary"},
      {"{}", "no 'descr'"},
      {"{'descr': '<f4', 'shape': (1,)}", "no 'fortran_order'"},
      {"{'descr': '<f4', 'fortran_order': False}", "no 'shape'"},
      {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "two keys 'descr'"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", "a key that NumPy does not write"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)", "commas"},
      {"{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}", "commas"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} + x", "after its dictionary"},
      {"{descr: '<f4'}", "key that is not a string"},
      {"{'descr", "without an end"},
      {"{'descr' '<f4'}", "no value"},
      {"{'de\\x73cr': '<f4'}", "escape"},
      {"{'descr': 4, 'fortran_order': False, 'shape': (1,)}", "'descr' is not a string"},
      {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", "neither True nor False"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': 1}", "not a tuple"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1)}", "not a tuple"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1", "no end"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "negative"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", "not a number"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1.0,)}", "not a tuple"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, None)}", "not a number"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (01,)}", "leading zeros"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551616,)}", "beyond 64 bits"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "larger than any file"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551615, 1)}", "larger than any file"},
      {"{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1)}", "Fortran order"},
      {"{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", "big endian"},
      {"{'descr': '>i8', 'fortran_order': False, 'shape': (1,)}", "astype('<i8')"},
      {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "Python objects"},
      {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "structured"},
      {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "'<c8' is not supported"},
      {"{'descr': '|f4', 'fortran_order': False, 'shape': (1,)}", "'|f4' is not supported"},
      {"{'descr': '<U4', 'fortran_order': False, 'shape': (1,)}", "holds texts"},
      {"{'descr': '', 'fortran_order': False, 'shape': (1,)}", "'' is not supported"},
      {"{'descr': '\x1b[31m', 'fortran_order': False, 'shape': (1,)}", "'?[31m' is not supported"},
  };
  for (const auto& [header, word] : cases) {
    SCOPED_TRACE(header);
    expect_refused(npy_with_header(header, "0123"), word);
  }
  std::string deep = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (int i = 0; i < 1000; ++i) deep += "1, ";
  expect_refused(npy_with_header(deep + ")}", "0123"), "too many dimensions");
}

TEST(Npy, RefusesDataThatDoesNotFit) {
  expect_refused(npy_bytes("<f4", "(2, 3)", std::string(23, 'x')), "cut short");
  expect_refused(npy_bytes("<f4", "(2, 3)", std::string(25, 'x')), "something else follows");
  expect_private_error([] { parse(npy_bytes("<f4", "(2, 3)", "")); }, {"x.npy: ", "cut short"},
                       {"0 bytes of data where shape (2, 3) of float32 needs 24"});
  expect_refused(npy_bytes("<f4", "(1000000000, 1000000000)", std::string(64, 'x')), "cut short");
}

TEST(Npy, ReadsIntegersOfEveryType) {
  const auto read = [](const std::string& file) { return integers_of(parse(file), "y.npy"); };
  EXPECT_EQ(read(npy_bytes("|i1", "(2,)", raw<int8_t>({-128, 127}))), (std::vector<int64_t>{-128, 127}));
  EXPECT_EQ(read(npy_bytes("|u1", "(2,)", raw<uint8_t>({0, 255}))), (std::vector<int64_t>{0, 255}));
  EXPECT_EQ(read(npy_bytes("<i2", "(1,)", raw<int16_t>({-32768}))), (std::vector<int64_t>{-32768}));
  EXPECT_EQ(read(npy_bytes("<u2", "(1,)", raw<uint16_t>({65535}))), (std::vector<int64_t>{65535}));
  EXPECT_EQ(read(npy_bytes("<i4", "(1,)", raw<int32_t>({-2147483647}))), (std::vector<int64_t>{-2147483647}));
  EXPECT_EQ(read(npy_bytes("<u4", "(1,)", raw<uint32_t>({4294967295u}))), (std::vector<int64_t>{4294967295}));
  EXPECT_EQ(read(npy_bytes("<i8", "(1,)", raw<int64_t>({-5}))), (std::vector<int64_t>{-5}));
  EXPECT_EQ(read(npy_bytes("<u8", "(1,)", raw<uint64_t>({7}))), (std::vector<int64_t>{7}));
  EXPECT_EQ(read(npy_bytes("|b1", "(2,)", raw<uint8_t>({0, 1}))), (std::vector<int64_t>{0, 1}));
  EXPECT_TRUE(read(npy_bytes("<i8", "(0,)", "")).empty());

  const auto refused = [&](const std::string& file, std::string_view word) {
    expect_error<InvalidInput>([&] { read(file); }, {"y.npy: ", word});
  };
  expect_private_error(
      [&] {
        read(npy_bytes("<u8", "(2,)", raw<uint64_t>({1, uint64_t{1} << 63})));
      },
      {"y.npy: ", "2^63"}, {"entry 1 is 9223372036854775808"});
  refused(npy_bytes("<i8", "(1, 1)", raw<int64_t>({1})), "2 dimensions");
  refused(npy_bytes("<i8", "()", raw<int64_t>({1})), "0 dimensions");
  refused(npy_bytes("<f4", "(1,)", raw<float>({1})), "float32 where integers");
}

TEST(Npy, HeaderReadsBack) {
  for (const std::vector<uint64_t>& shape : {std::vector<uint64_t>{0}, {7}, {0, 12}, {3, 5}}) {
    uint64_t values = 1;
    for (const uint64_t extent : shape) values *= extent;
    const std::string header = npy_header(DType::int64, shape);
    EXPECT_EQ(header.size(), kNpyHeaderSize);
    EXPECT_EQ(parse(header + std::string(values * 8, '\0')).shape, shape);
  }
  const std::vector<uint64_t> widest(2, UINT64_MAX);
  EXPECT_EQ(npy_header(DType::float32, widest).size(), kNpyHeaderSize);
}

// What comes out of a file that was damaged at random: a refusal, or an array that lies within the file.
void expect_refused_or_consistent(const std::string& file) {
  const auto bytes = std::as_bytes(std::span(file));
  try {
    const NpyArray array = parse_npy(bytes, "x.npy");
    size_t size = item_size(array.dtype);
    for (const uint64_t extent : array.shape) size *= extent;
    EXPECT_EQ(array.data.size(), size);
    EXPECT_EQ(array.data.data() + size, bytes.data() + bytes.size());
    if (array.shape.size() == 1) integers_of(array, "x.npy");
  } catch (const InvalidInput& error) {
    EXPECT_TRUE(std::string_view(error.what()).starts_with("x.npy: ")) << error.what();
  }
}

std::string damaged(std::string file, Random& random) {
  // Characters with a meaning in a header get further than random bytes do.
  using namespace std::string_view_literals;
  constexpr std::string_view kAlphabet = "{}()[],:'\"<>|=fiubO0123456789-LTrueFals \\\n\x00\xff"sv;
  const size_t edits = 1 + random.next64() % 4;
  for (size_t i = 0; i < edits && !file.empty(); ++i) {
    const size_t at = random.next64() % file.size();
    const char with = kAlphabet[random.next64() % kAlphabet.size()];
    switch (random.next64() % 4) {
      case 0:
        file[at] = with;
        break;
      case 1:
        file.insert(at, 1, with);
        break;
      case 2:
        file.erase(at, 1 + random.next64() % 3);
        break;
      default:
        file.resize(1 + at);
    }
  }
  return file;
}

TEST(Npy, SurvivesDamagedFiles) {
  SeededRandom random(1);
  const std::string whole[] = {npy_bytes("<f4", "(2, 3)", std::string(24, 'x')),
                               npy_bytes("<u8", "(3,)", std::string(24, '\xff'), 2),
                               npy_with_header("{'descr':'|u1','fortran_order':False,'shape':(9,)}", "123456789", 3)};
  for (int i = 0; i < 20000; ++i) expect_refused_or_consistent(damaged(whole[i % 3], random));
  for (const std::string& file : whole) {
    for (size_t size = 0; size < file.size(); ++size) expect_refused_or_consistent(file.substr(0, size));
  }
}

}  // namespace
}  // namespace dppl
