#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dppl::serving {

// What stands behind the host in a request's address, taken apart and decoded.
struct Address {
  std::string path;  // "/v2/models/a b"
  std::vector<std::string>
      parts;          // "v2", "models", "a b"; an encoded '/' does not part them, one at the end is left out
  std::string query;  // as it was sent, without '?'
};
// Empty where an encoded character is none.
std::optional<Address> parse_address(std::string_view target);

// Of a query, the value of `key`, as it was sent.
std::optional<std::string> query_value(std::string_view query, std::string_view key);

}  // namespace dppl::serving
