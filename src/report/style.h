#pragma once

#include <string_view>

namespace dppl {

// What an SVG needs that stands alone: colours, and how plots look.
extern const std::string_view kFigureStyle;
// The rest of a page. The page's policy admits both, as one sheet, by its hash and nothing beside it, so elements have
// no style of their own.
extern const std::string_view kPageStyle;

}  // namespace dppl
