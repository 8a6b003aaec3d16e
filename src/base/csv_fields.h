#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dppl {

// Takes the fields of one record, and the end of its line, off the front of CSV text (RFC 4180; LF or CRLF). A quoted
// field may hold commas, line breaks and, twice each, quotes. Throws InvalidInput, beginning with `where`.
std::vector<std::string> take_csv_record(std::string_view& text, std::string_view where);

// A field as it may stand in CSV: quoted where it must be.
std::string csv_field(std::string_view text);

}  // namespace dppl
