#include "images/idx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dppl/error.h"
#include "images/gzip.h"

namespace dppl {
namespace {

constexpr size_t kMaxDimensions = 4, kMaxHeader = 4 + 4 * kMaxDimensions;

[[noreturn]] void refuse(std::string_view name, std::string_view what) {
  throw InvalidInput(fmt::format("{}: {}", name, what));
}

// Two zeros, the type of the values, and how many dimensions follow.
bool has_magic(std::span<const std::byte> file) {
  if (file.size() < 4 || file[0] != std::byte{0} || file[1] != std::byte{0}) return false;
  const auto type = static_cast<unsigned>(file[2]), dimensions = static_cast<unsigned>(file[3]);
  return type >= 0x08 && type <= 0x0e && dimensions >= 1 && dimensions <= kMaxDimensions;
}

struct Header {
  std::vector<uint64_t> shape;
  size_t size, data_size;
};

Header parse_header(std::span<const std::byte> file, std::string_view name) {
  if (!has_magic(file)) refuse(name, "is not an IDX file of one to four dimensions; give one as MNIST is published");
  if (file[2] != std::byte{0x08}) refuse(name, "is an IDX file of other values than unsigned bytes; save it as bytes");
  const auto dimensions = static_cast<size_t>(file[3]);
  Header header{std::vector<uint64_t>(dimensions), 4 + 4 * dimensions, 1};
  if (file.size() < header.size) refuse(name, "the header is cut short; copy or download the file again");
  for (size_t i = 0; i < dimensions; ++i) {
    for (size_t k = 0; k < 4; ++k) header.shape[i] = header.shape[i] << 8 | static_cast<uint64_t>(file[4 + 4 * i + k]);
    if (__builtin_mul_overflow(header.data_size, header.shape[i], &header.data_size)) {
      refuse(name, "its header claims more than any file can hold; copy or download the file again");
    }
  }
  return header;
}

}  // namespace

bool is_idx(std::span<const std::byte> file, std::string_view name) {
  return is_gzip(file) ? has_magic(gunzip(file, name, 4)) : has_magic(file);
}

IdxArray parse_idx(std::span<const std::byte> file, std::shared_ptr<const void> owner, std::string_view name) {
  if (is_gzip(file)) {
    const Header header = parse_header(gunzip(file, name, kMaxHeader), name);
    size_t limit = 0;
    // One byte more than it should be, so that what follows is seen.
    if (__builtin_add_overflow(header.data_size, header.size + 1, &limit)) limit = header.data_size;
    const auto unpacked = std::make_shared<const std::vector<std::byte>>(gunzip(file, name, limit));
    file = *unpacked;
    owner = unpacked;
  }
  Header header = parse_header(file, name);
  const std::span<const std::byte> data = file.subspan(header.size);
  if (data.size() != header.data_size) {
    refuse(name, fmt::format("{} bytes of data where shape ({}) needs {}; copy or download the file again",
                             data.size() > header.data_size ? "more" : fmt::to_string(data.size()),
                             fmt::join(header.shape, ", "), header.data_size));
  }
  return {std::move(header.shape), data, std::move(owner)};
}

}  // namespace dppl
