#include "serving/address.h"

#include <charconv>

namespace dppl::serving {
namespace {

std::optional<std::string> decode(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    const std::string_view digits = text.substr(i + 1, 2);
    unsigned value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2) return std::nullopt;
    result += static_cast<char>(value);
    i += 2;
  }
  return result;
}

// What stands before the first `mark`, or all; it and the mark are taken off the front.
std::string_view take_until(std::string_view& text, char mark) {
  const size_t end = text.find(mark);
  const std::string_view taken = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return taken;
}

}  // namespace

std::optional<Address> parse_address(std::string_view target) {
  Address address;
  std::string_view path = take_until(target, '?');
  address.query = target;
  const std::optional<std::string> decoded = decode(path);
  if (!decoded) return std::nullopt;
  address.path = *decoded;
  if (path.starts_with('/')) path.remove_prefix(1);
  // Each is a part of what could be decoded.
  while (!path.empty()) address.parts.push_back(*decode(take_until(path, '/')));
  return address;
}

std::optional<std::string> query_value(std::string_view query, std::string_view key) {
  while (!query.empty()) {
    std::string_view value = take_until(query, '&');
    if (take_until(value, '=') == key) return std::string(value);
  }
  return std::nullopt;
}

}  // namespace dppl::serving
