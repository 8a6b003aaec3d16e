#pragma once

#include <string_view>
#include <vector>

namespace dppl {

// The lines of a UTF-8 text, without their ends (LF or CRLF) and without a byte order mark. Throws InvalidRecord, since
// a line may be a record's, for a blank line, for a control character and for what is not UTF-8.
std::vector<std::string_view> text_lines(std::string_view text, std::string_view name);

// Why a line (or a name from elsewhere) cannot be used; empty when it can.
std::string_view fault_of_line(std::string_view line);

}  // namespace dppl
