#pragma once

#include <string>
#include <string_view>

#include "report/figure.h"

// Charts are drawn by Vega-Lite in the reader's browser, and answer to the mouse: values on hovering, one series
// brought out by a click on its name, pictures to save.
namespace dppl {

// A figure with panels as a Vega-Lite specification (JSON). Colours are names of the style sheet.
std::string vega_lite(const Figure& figure);

// Vega, Vega-Lite and Vega-Embed from npm (scripts/setup-vega.sh); empty where the program was built without them.
std::string_view vega_library();

// Draws every <script type="application/json" class="chart"> of the page at the top of its figure, and folds the
// numbers.
extern const std::string_view kDrawCharts;

}  // namespace dppl
