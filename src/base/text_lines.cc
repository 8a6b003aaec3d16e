#include "base/text_lines.h"

#include <fmt/format.h>

#include "dppl/invalid_record.h"

namespace dppl {
namespace {

std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::optional<uint32_t> take_character(std::string_view& text) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(text[i])); };
  const uint32_t lead = byte(0);
  const size_t length = lead < 0x80            ? 1
                        : lead >> 5 == 0b110   ? 2
                        : lead >> 4 == 0b1110  ? 3
                        : lead >> 3 == 0b11110 ? 4
                                               : 0;
  if (length == 0 || length > text.size()) return std::nullopt;
  uint32_t value = length == 1 ? lead : lead & (0xffu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if (byte(i) >> 6 != 0b10) return std::nullopt;
    value = value << 6 | (byte(i) & 0x3f);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value < 0xe000;
  if (value < kSmallest[length] || surrogate || value > 0x10ffff) return std::nullopt;
  text.remove_prefix(length);
  return value;
}

bool is_control(uint32_t character) { return character < 0x20 || (character >= 0x7f && character < 0xa0); }

std::string_view fault_of_line(std::string_view line) {
  if (line.find_first_not_of(' ') == std::string_view::npos) return "is blank";
  while (!line.empty()) {
    const std::optional<uint32_t> character = take_character(line);
    if (!character) return "is not UTF-8";
    if (is_control(*character)) return "has a control character";
  }
  return {};
}

std::vector<std::string_view> text_lines(std::string_view text, std::string_view name) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    lines.push_back(take_line(text));
    const std::string_view fault = fault_of_line(lines.back());
    if (!fault.empty()) {
      throw InvalidRecord(fmt::format("{}: a line {}; give one name a line, in UTF-8", name, fault),
                          fmt::format("line {} {}", lines.size(), fault));
    }
  }
  return lines;
}

}  // namespace dppl
