#pragma once

#include <string>
#include <string_view>

namespace dppl {

// Colours by name, for a light and a dark scheme; the rest of a page. The page's policy admits both, as one sheet, by
// its hash and nothing beside it, so elements have no style of their own.
extern const std::string_view kColours, kPageStyle;

// Names of colours, "var(--ink)", become colours, for files that stand alone: few programs but browsers know names.
std::string in_light_colours(std::string_view text);

}  // namespace dppl
