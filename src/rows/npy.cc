#include "rows/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "base/utf8.h"
#include "base/whole_number.h"
#include "dppl/invalid_record.h"

namespace dppl {
namespace {

static_assert(std::endian::native == std::endian::little, "stored arrays are used as they are");

struct TypeName {
  std::string_view name;
  char order;
  std::string_view code;  // NumPy's kind and size
  size_t size;
};

// Indexed by DType.
constexpr std::array<TypeName, 12> kTypes{{{"float16", '<', "f2", 2},
                                           {"float32", '<', "f4", 4},
                                           {"float64", '<', "f8", 8},
                                           {"int8", '|', "i1", 1},
                                           {"uint8", '|', "u1", 1},
                                           {"int16", '<', "i2", 2},
                                           {"uint16", '<', "u2", 2},
                                           {"int32", '<', "i4", 4},
                                           {"uint32", '<', "u4", 4},
                                           {"int64", '<', "i8", 8},
                                           {"uint64", '<', "u8", 8},
                                           {"bool", '|', "b1", 1}}};

const TypeName& type(DType dtype) { return kTypes[static_cast<size_t>(dtype)]; }

constexpr std::string_view kMagic = "\x93NUMPY";

[[noreturn]] void refuse(std::string_view name, std::string_view what) {
  throw InvalidInput(fmt::format("{}: {}", name, what));
}

// A header may hold anything, terminal control sequences included: quote a printable beginning.
std::string quoted(std::string_view text) {
  std::string result(text.substr(0, 40));
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return fmt::format("'{}{}'", result, text.size() > 40 ? "…" : "");
}

DType parse_descr(std::string_view descr, std::string_view name) {
  const char order = descr.empty() ? '\0' : descr.front();
  const std::string_view code = descr.substr(descr.empty() ? 0 : 1);
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeName& t) { return t.code == code; });
  if (found != kTypes.end()) {
    const bool order_fits = found->size == 1 ? order == '|' || order == '<' || order == '>' : order == '<';
    if (order_fits) return static_cast<DType>(found - kTypes.begin());
    if (order == '>') {
      refuse(name,
             fmt::format("type {} is big endian; save it as little endian, e.g. numpy.save(path, x.astype('<{}'))",
                         quoted(descr), code));
    }
  }
  if (code.starts_with('O')) refuse(name, "holds Python objects; save a plain array, e.g. x.astype('float32')");
  if (code.starts_with('U') || code.starts_with('S')) {
    refuse(name, "holds texts; save numbers, or names of classes as a .txt with one per line");
  }
  refuse(name, fmt::format("type {} is not supported; save float16, float32, float64, int8 or uint8 embeddings, or "
                           "integer labels",
                           quoted(descr)));
}

// The three keys of a header, read from the only forms NumPy writes them in. Nothing is evaluated.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, std::string_view name) : rest_(text), name_(name) {}

  void read() {
    expect('{', "the header is not a dictionary");
    while (!take('}')) {
      read_entry();
      if (!take(',')) {
        expect('}', "the header's entries are not separated by commas");
        break;
      }
    }
    skip_space();
    if (!rest_.empty()) fail("the header goes on after its dictionary");
    for (const auto& [present, key] :
         {std::pair{descr.has_value(), "descr"}, std::pair{fortran_order.has_value(), "fortran_order"},
          std::pair{shape.has_value(), "shape"}}) {
      if (!present) fail(fmt::format("the header has no '{}'", key));
    }
  }

  std::optional<std::string_view> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<uint64_t>> shape;

 private:
  [[noreturn]] void fail(std::string_view what) const {
    refuse(name_, fmt::format("{}; save the array again with numpy.save", what));
  }

  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }

  bool take(char c) {
    skip_space();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c, std::string_view otherwise) {
    if (!take(c)) fail(otherwise);
  }

  void read_entry() {
    const std::string_view key = read_string("the header has a key that is not a string");
    expect(':', fmt::format("the header's key {} has no value", quoted(key)));
    if (key == "descr") {
      set(descr, key, read_descr());
    } else if (key == "fortran_order") {
      set(fortran_order, key, read_bool());
    } else if (key == "shape") {
      set(shape, key, read_shape());
    } else {
      fail("the header has a key that NumPy does not write");
    }
  }

  template <typename T>
  void set(std::optional<T>& target, std::string_view key, T value) {
    if (target) fail(fmt::format("the header has two keys '{}'", key));
    target = std::move(value);
  }

  std::string_view read_string(std::string_view otherwise) {
    skip_space();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    if (quote != '\'' && quote != '"') fail(otherwise);
    rest_.remove_prefix(1);
    const size_t end = rest_.find(quote);
    if (end == std::string_view::npos) fail("the header has a string without an end");
    const std::string_view result = rest_.substr(0, end);
    if (result.find('\\') != std::string_view::npos) fail("the header has a string with an escape");
    rest_.remove_prefix(end + 1);
    return result;
  }

  std::string_view read_descr() {
    skip_space();
    if (rest_.starts_with('[')) {
      refuse(name_, "is a structured array; save one plain field of it, e.g. x['field'].astype('float32')");
    }
    return read_string("the header's 'descr' is not a string");
  }

  bool read_bool() {
    skip_space();
    for (const auto& [word, value] : {std::pair{"True", true}, std::pair{"False", false}}) {
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(std::string_view(word).size());
        return value;
      }
    }
    fail("the header's 'fortran_order' is neither True nor False");
  }

  std::vector<uint64_t> read_shape() {
    expect('(', "the header's 'shape' is not a tuple");
    std::vector<uint64_t> result;
    while (!take(')')) {
      result.push_back(read_extent());
      // NumPy knows at most 32 (or 64) dimensions; more are an attempt to use memory.
      if (result.size() > 64) fail("the header's 'shape' has too many dimensions");
      const bool comma = take(',');
      if (!comma && result.size() == 1) fail("the header's 'shape' is not a tuple");
      if (!comma) {
        expect(')', "the header's 'shape' has no end");
        break;
      }
    }
    return result;
  }

  uint64_t read_extent() {
    skip_space();
    if (rest_.starts_with('-')) fail("the header's 'shape' has a negative extent");
    const size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    if (digits == 0) fail("the header's 'shape' has an extent that is not a number");
    if (digits > 1 && rest_.front() == '0') fail("the header's 'shape' has an extent with leading zeros");
    const std::optional<uint64_t> extent = whole_number(rest_.substr(0, digits));
    if (!extent) fail("the header's 'shape' has an extent beyond 64 bits");
    rest_.remove_prefix(digits);
    return *extent;
  }

  std::string_view rest_, name_;
};

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The part of the file that holds the header's text; `offset` is moved to the first byte of data.
std::string_view header_text(std::string_view file, std::string_view name, size_t& offset) {
  if (file.empty()) refuse(name, "is empty; it should be a .npy file");
  if (!file.starts_with(kMagic)) refuse(name, "is not a .npy file; save the array with numpy.save");
  const std::string_view cut_short = "the header is cut short; copy or save the file again";
  if (file.size() < 10) refuse(name, cut_short);
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(file[i])); };
  const size_t major = byte(6), minor = byte(7);
  if (major < 1 || major > 3 || minor != 0) {
    refuse(name, fmt::format(".npy version {}.{} is not known; versions 1.0, 2.0 and 3.0 are", major, minor));
  }
  offset = major == 1 ? 10 : 12;
  if (file.size() < offset) refuse(name, cut_short);
  const size_t length = byte(8) | byte(9) << 8 | (major == 1 ? 0 : byte(10) << 16 | byte(11) << 24);
  if (length > file.size() - offset) refuse(name, cut_short);
  offset += length;
  return file.substr(offset - length, length);
}

struct Contents {
  std::string_view descr;
  std::vector<uint64_t> shape;
  std::span<const std::byte> data;
};

Contents contents_of(std::span<const std::byte> file, std::string_view name) {
  size_t offset = 0;
  HeaderReader header(header_text(as_text(file), name, offset), name);
  header.read();
  // One dimension is laid out the same way in both orders.
  if (*header.fortran_order && header.shape->size() > 1) {
    refuse(name, "is in Fortran order; save it in C order, e.g. numpy.save(path, numpy.ascontiguousarray(x))");
  }
  return {*header.descr, std::move(*header.shape), file.subspan(offset)};
}

void check_size(const Contents& contents, uint64_t item, std::string_view type, std::string_view name) {
  uint64_t needed = item;
  for (const uint64_t extent : contents.shape) {
    if (__builtin_mul_overflow(needed, extent, &needed)) {
      refuse(name, "the header's 'shape' is larger than any file; save the array again with numpy.save");
    }
  }
  if (contents.data.size() == needed) return;
  // Shape and size tell the number of records.
  throw InvalidRecord(fmt::format("{}: {}", name,
                                  contents.data.size() < needed
                                      ? "the file is cut short: it ends before its array; copy or save it again"
                                      : "something else follows the array; save it alone"),
                      fmt::format("{} bytes of data where shape ({}) of {} needs {}", contents.data.size(),
                                  fmt::join(contents.shape, ", "), type, needed));
}

void require_one_dimension(const std::vector<uint64_t>& shape, std::string_view name) {
  if (shape.size() == 1) return;
  refuse(name,
         fmt::format("has {} dimensions where one is needed; save it with numpy.save(path, y.ravel())", shape.size()));
}

// How many characters each text of a type like <U12 or |S12 has room for; empty for other types.
std::optional<uint32_t> length_of_texts(std::string_view descr) {
  const bool unicode = descr.starts_with("<U");
  if (!unicode && !descr.starts_with("|S")) return std::nullopt;
  const std::optional<uint64_t> length = whole_number(descr.substr(2));
  if (!length || *length > std::numeric_limits<int32_t>::max()) return std::nullopt;
  return static_cast<uint32_t>(*length);
}

// A text of 32-bit characters, or of the bytes of UTF-8, filled up with zeros; empty where it is none.
std::optional<std::string> text_at(std::span<const std::byte> item, bool unicode) {
  std::string result;
  if (!unicode) {
    result = as_text(item);
  } else {
    for (size_t i = 0; i < item.size(); i += 4) {
      uint32_t character;
      std::memcpy(&character, item.data() + i, sizeof character);
      if (!append_character(result, character)) return std::nullopt;
    }
  }
  result.resize(result.find_last_not_of('\0') + 1);
  return result;
}

template <typename T>
std::vector<int64_t> convert(const NpyArray& array, std::string_view name) {
  std::vector<int64_t> result(array.shape[0]);
  for (size_t i = 0; i < result.size(); ++i) {
    T value;
    std::memcpy(&value, array.data.data() + i * sizeof value, sizeof value);
    if constexpr (std::is_same_v<T, uint64_t>) {
      if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        throw InvalidRecord(fmt::format("{}: an entry is beyond 2^63 − 1; use smaller numbers", name),
                            fmt::format("entry {} is {}", i, value));
      }
    }
    result[i] = static_cast<int64_t>(value);
  }
  return result;
}

}  // namespace

std::string_view to_string(DType dtype) { return type(dtype).name; }
size_t item_size(DType dtype) { return type(dtype).size; }

NpyArray parse_npy(std::span<const std::byte> file, std::string_view name) {
  Contents contents = contents_of(file, name);
  const DType dtype = parse_descr(contents.descr, name);
  check_size(contents, item_size(dtype), to_string(dtype), name);
  return {dtype, std::move(contents.shape), contents.data};
}

std::optional<std::vector<std::string>> texts_of(std::span<const std::byte> file, std::string_view name) {
  const Contents contents = contents_of(file, name);
  const std::optional<uint32_t> length = length_of_texts(contents.descr);
  if (!length) return std::nullopt;
  require_one_dimension(contents.shape, name);
  const bool unicode = contents.descr[1] == 'U';
  const size_t item = *length * (unicode ? sizeof(uint32_t) : 1);
  check_size(contents, item, "texts", name);
  std::vector<std::string> texts;
  for (size_t i = 0; item > 0 && i < contents.shape[0]; ++i) {
    std::optional<std::string> text = text_at(contents.data.subspan(i * item, item), unicode);
    if (!text) throw InvalidRecord(fmt::format("{}: an entry is no text", name), fmt::format("entry {}", i));
    texts.push_back(std::move(*text));
  }
  // A shape may claim any number of texts that take no room.
  if (item == 0 && contents.shape[0] > 0) throw InvalidRecord(fmt::format("{}: every text is blank", name), "");
  return texts;
}

std::vector<int64_t> integers_of(const NpyArray& array, std::string_view name) {
  require_one_dimension(array.shape, name);
  switch (array.dtype) {
    case DType::boolean:
    case DType::uint8:
      return convert<uint8_t>(array, name);
    case DType::int8:
      return convert<int8_t>(array, name);
    case DType::int16:
      return convert<int16_t>(array, name);
    case DType::uint16:
      return convert<uint16_t>(array, name);
    case DType::int32:
      return convert<int32_t>(array, name);
    case DType::uint32:
      return convert<uint32_t>(array, name);
    case DType::int64:
      return convert<int64_t>(array, name);
    case DType::uint64:
      return convert<uint64_t>(array, name);
    default:
      refuse(name, fmt::format("holds {} where integers are needed; save it with numpy.save(path, y.astype('int64'))",
                               to_string(array.dtype)));
  }
}

std::string npy_header(DType dtype, std::span<const uint64_t> shape) {
  constexpr size_t kPreamble = 10;
  const TypeName& t = type(dtype);
  std::string text = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}", t.order, t.code,
                                 fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  text.resize(kNpyHeaderSize - kPreamble - 1, ' ');
  text += '\n';
  std::string result(kMagic);
  result += {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return result + text;
}

}  // namespace dppl
