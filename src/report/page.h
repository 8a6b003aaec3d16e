#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dppl {

// A whole HTML document around a body, with scripts at its end. Its policy forbids every load; images come as data, and
// the one style sheet and these scripts are admitted by their hashes.
std::string html_page(std::string_view title, std::string_view body, std::span<const std::string_view> scripts = {});

}  // namespace dppl
