#include "base/csv_fields.h"

#include <fmt/format.h>

#include "dppl/error.h"

namespace dppl {
namespace {

[[noreturn]] void refuse(std::string_view where, std::string_view what) {
  throw InvalidInput(fmt::format("{}: {}", where, what));
}

bool at_end(std::string_view text) { return text.empty() || text.starts_with('\n') || text.starts_with("\r\n"); }

std::string take_quoted(std::string_view& text, std::string_view where) {
  std::string field;
  for (text.remove_prefix(1);; text.remove_prefix(1)) {
    if (text.empty()) refuse(where, "a quote without an end; close it, and write a quote inside of quotes twice");
    if (text.front() == '"') {
      text.remove_prefix(1);
      if (!text.starts_with('"')) break;
    }
    field += text.front();
  }
  if (!at_end(text) && text.front() != ',') refuse(where, "something follows a closing quote; put a comma there");
  return field;
}

std::string take_plain(std::string_view& text) {
  size_t size = 0;
  while (!at_end(text.substr(size)) && text[size] != ',') ++size;
  const std::string field(text.substr(0, size));
  text.remove_prefix(size);
  return field;
}

}  // namespace

std::vector<std::string> take_csv_record(std::string_view& text, std::string_view where) {
  std::vector<std::string> fields;
  while (true) {
    fields.push_back(text.starts_with('"') ? take_quoted(text, where) : take_plain(text));
    if (at_end(text)) break;
    text.remove_prefix(1);
  }
  if (text.starts_with('\r')) text.remove_prefix(1);
  if (!text.empty()) text.remove_prefix(1);
  return fields;
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text) result.append(c == '"' ? 2 : 1, c);
  return result + '"';
}

}  // namespace dppl
