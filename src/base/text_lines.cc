#include "base/text_lines.h"

#include <fmt/format.h>

#include "base/utf8.h"
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
      throw InvalidRecord(fmt::format("{}: a line {}; give one name per line, in UTF-8", name, fault),
                          fmt::format("line {} {}", lines.size(), fault));
    }
  }
  return lines;
}

}  // namespace dppl
