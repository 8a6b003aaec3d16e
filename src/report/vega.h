#pragma once

#include <string>
#include <string_view>

#include "report/figure.h"

// Figures that answer to the mouse, drawn by Vega-Lite in the reader's browser: values on hovering, one series brought
// out by a click on its name, pictures to save.
namespace dppl {

// A figure with panels as a Vega-Lite specification (JSON). Colours are names of the style sheet.
std::string vega_lite(const Figure& figure);

// Vega, Vega-Lite and Vega-Embed from npm (scripts/setup-vega.sh); empty where the program was built without them.
std::string_view vega_library();

// Draws every <script type="application/json" class="chart"> of the page in place of the element before it.
extern const std::string_view kDrawCharts;

}  // namespace dppl
