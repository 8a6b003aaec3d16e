#pragma once

#include <string>
#include <string_view>

namespace dppl {

// A whole HTML document around a body. Its policy forbids every load and every script; images come as data, and the one
// style sheet is admitted by its hash.
std::string html_page(std::string_view title, std::string_view body);

}  // namespace dppl
