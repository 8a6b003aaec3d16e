#pragma once

#include <string_view>

namespace dppl {

// The style sheet of the page. The page's policy admits it by its hash and nothing beside it, so elements have no style
// of their own.
extern const std::string_view kStyle;

}  // namespace dppl
