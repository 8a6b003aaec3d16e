#include "images/gzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <new>

#include "dppl/error.h"

namespace dppl {
namespace {

class Inflater {
 public:
  Inflater() {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Moves both spans on by what was read and written; zlib's verdict.
  int run(std::span<const std::byte>& in, std::span<std::byte>& out) {
    constexpr size_t kMost = size_t{1} << 30;  // zlib counts in 32 bits
    const size_t in_size = std::min(in.size(), kMost), out_size = std::min(out.size(), kMost);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in_size);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out_size);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    in = in.subspan(in_size - stream_.avail_in);
    out = out.subspan(out_size - stream_.avail_out);
    return status;
  }
  void next_member() { inflateReset(&stream_); }

 private:
  z_stream stream_{};
};

}  // namespace

bool is_gzip(std::span<const std::byte> file) {
  return file.size() >= 2 && file[0] == std::byte{0x1f} && file[1] == std::byte{0x8b};
}

std::vector<std::byte> gunzip(std::span<const std::byte> file, std::string_view name, size_t limit) {
  Inflater inflater;
  std::vector<std::byte> result;
  size_t size = 0;
  while (size < limit) {
    if (size == result.size()) result.resize(std::min(limit, std::max<size_t>(2 * size, size_t{1} << 16)));
    std::span<std::byte> out = std::span(result).subspan(size);
    const int status = inflater.run(file, out);
    size = result.size() - out.size();
    if (status == Z_STREAM_END) {
      if (!is_gzip(file)) break;  // files may be joined; other bytes at the end are padding
      inflater.next_member();
    } else if (status != Z_OK) {
      throw InvalidInput(fmt::format("{}: the gzip data is {}; copy or download the file again", name,
                                     status == Z_BUF_ERROR ? "cut short" : "damaged"));
    }
  }
  result.resize(size);
  return result;
}

}  // namespace dppl
