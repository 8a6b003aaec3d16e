#include "base/embedded_file.h"
#include "report/vega.h"

#ifdef DPPL_VEGA
DPPL_EMBED_FILE(vega, DPPL_VEGA);
#endif

namespace dppl {

std::string_view vega_library() {
#ifdef DPPL_VEGA
  return DPPL_EMBEDDED(vega);
#else
  return {};
#endif
}

// The interpreter instead of compiled expressions, and no style of the library's own: the page's policy forbids both.
const std::string_view kDrawCharts = R"js(
const draw = (data) => {
  const colours = getComputedStyle(document.documentElement), figure = data.parentElement;
  const text = data.textContent.replace(/var\((--[a-z0-9-]+)\)/g, (_, name) => colours.getPropertyValue(name).trim());
  const numbers = figure.querySelector('details.numbers'), place = document.createElement('div');
  place.className = 'scroll';
  place.tabIndex = 0;
  place.append(document.createElement('div'));
  place.firstChild.className = 'chart';
  const options = {
    mode: 'vega-lite', renderer: 'svg', ast: true, defaultStyle: false, downloadFileName: data.dataset.name,
    actions: {export: true, source: false, compiled: false, editor: false}, tooltip: {disableDefaultStyle: true}
  };
  vegaEmbed(place.firstChild, JSON.parse(text), options).then(() => {
    const drawn = figure.querySelector(':scope > .scroll');
    drawn ? drawn.replaceWith(place) : figure.prepend(place);
    if (!drawn) numbers.open = false;
  }, console.error);
};
const drawAll = () => document.querySelectorAll('script.chart').forEach(draw);
drawAll();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
)js";

}  // namespace dppl
