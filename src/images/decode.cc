#include "images/decode.h"

#include <fmt/format.h>

#include <algorithm>

#include "dppl/error.h"

namespace dppl {

Image decode_image(std::span<const std::byte> file, std::string_view name, size_t max_pixels, PixelSize least) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (text.starts_with("\xff\xd8\xff")) return decode_jpeg(file, name, max_pixels, least);
  if (text.starts_with("\x89PNG\r\n\x1a\n")) return decode_png(file, name, max_pixels);
  throw InvalidInput(
      fmt::format("{}: {}; remove it or save it as JPEG or PNG", name,
                  file.empty() ? "is empty" : "is neither a JPEG nor a PNG file, whatever its name says"));
}

bool has_image_name(std::string_view path) {
  const size_t dot = path.rfind('.');
  std::string ending(dot == std::string_view::npos ? "" : path.substr(dot));
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c; });
  return ending == ".jpg" || ending == ".jpeg" || ending == ".png";
}

}  // namespace dppl
