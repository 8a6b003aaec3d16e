#include "base/utf8.h"

#include <algorithm>
#include <utility>

namespace dppl {

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

size_t count_characters(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

bool is_control(uint32_t character) { return character < 0x20 || (character >= 0x7f && character < 0xa0); }

bool is_blank(uint32_t character) {
  constexpr std::pair<uint32_t, uint32_t> kBlank[] = {
      {0x09, 0x0d},     {0x20, 0x20},     {0x85, 0x85},     {0xa0, 0xa0},     {0xad, 0xad},    {0x1680, 0x1680},
      {0x2000, 0x200f}, {0x2028, 0x202f}, {0x205f, 0x2064}, {0x3000, 0x3000}, {0xfeff, 0xfeff}};
  return std::ranges::any_of(kBlank,
                             [&](const auto& range) { return character >= range.first && character <= range.second; });
}

bool append_character(std::string& text, uint32_t character) {
  if (character > 0x10ffff || (character >= 0xd800 && character < 0xe000)) return false;
  const int more = character < 0x80 ? 0 : character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
  constexpr uint32_t kLead[] = {0, 0xc0, 0xe0, 0xf0};
  text += static_cast<char>(kLead[more] | character >> (6 * more));
  for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80 | (character >> (6 * i) & 0x3f));
  return true;
}

}  // namespace dppl
