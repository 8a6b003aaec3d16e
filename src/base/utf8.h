#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dppl {

// Takes one character off the front of non-empty UTF-8 text; empty for a sequence that is malformed, overlong, a
// surrogate or beyond U+10FFFF.
std::optional<uint32_t> take_character(std::string_view& text);
// How many there are in UTF-8 text: its bytes but for those that continue a character.
size_t count_characters(std::string_view text);
bool is_control(uint32_t character);
// Unicode's white space, and characters without a width: what nobody sees at the end of a name.
bool is_blank(uint32_t character);

// Puts a character behind UTF-8 text; false, and nothing, for a surrogate and beyond U+10FFFF.
bool append_character(std::string& text, uint32_t character);

}  // namespace dppl
