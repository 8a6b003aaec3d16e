#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dppl {

// Takes one character off the front of non-empty UTF-8 text; empty for a sequence that is malformed, overlong, a
// surrogate or beyond U+10FFFF.
std::optional<uint32_t> take_character(std::string_view& text);
bool is_control(uint32_t character);

}  // namespace dppl
