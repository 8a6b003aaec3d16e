#include "report/vega.h"

#ifdef DPPL_VEGA
// No compiler here has #embed, and a megabyte as a string literal takes it a minute.
asm(".pushsection .rodata\n"
    "dppl_vega_begin: .incbin \"" DPPL_VEGA
    "\"\n"
    "dppl_vega_end: .byte 0\n"
    ".global dppl_vega_begin, dppl_vega_end\n"
    ".popsection\n");
extern "C" const char dppl_vega_begin[], dppl_vega_end[];
#endif

namespace dppl {

std::string_view vega_library() {
#ifdef DPPL_VEGA
  return {dppl_vega_begin, static_cast<size_t>(dppl_vega_end - dppl_vega_begin)};
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
