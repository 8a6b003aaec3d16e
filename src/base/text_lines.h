#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace dppl {

// The lines of a UTF-8 text, without their ends (LF or CRLF) and without a byte order mark. Throws InvalidRecord, since
// a line may be a record's, for a blank line, for a control character and for what is not UTF-8.
std::vector<std::string_view> text_lines(std::string_view text, std::string_view name);

// Why a line (or a name from elsewhere) cannot be used; empty when it can.
std::string_view fault_of_line(std::string_view line);

// Takes one character off the front of non-empty UTF-8 text; empty for a sequence that is malformed, overlong, a
// surrogate or beyond U+10FFFF.
std::optional<uint32_t> take_character(std::string_view& text);
bool is_control(uint32_t character);

}  // namespace dppl
