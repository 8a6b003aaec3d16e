#include "report/style.h"

#include <fmt/format.h>

namespace dppl {

// Colours of series are Okabe and Ito's, which readers with any colour vision distinguish, darker on light ground and
// lighter on dark; shades go from dark blue over green to yellow, as viridis does.
const std::string_view kColours = R"css(
:root {
  color-scheme: light dark;
  --ground: #fbfaf8; --card: #fff; --ink: #1c1f24; --soft: #5c6470; --line: #dfdcd6; --accent: #005f94;
  --tint: #eef4f8; --alarm: #a3180d; --alarm-ground: #fdecea;
  --s0: #0072b2; --s1: #d55e00; --s2: #00805d; --s3: #b0518a; --s4: #9a6a00; --s5: #1c1f24; --s6: #3fa3dd; --s7: #868c96; --s8: #5e3c99;
  --h0: #3b0f5c; --h1: #46327e; --h2: #365c8d; --h3: #277f8e; --h4: #1d9a80; --h5: #45ad5c; --h6: #8fb51f; --h7: #c9a800;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171b; --card: #1c2026; --ink: #e9e7e2; --soft: #a3abb6; --line: #343a43; --accent: #7cc4f0;
    --tint: #1b2a35; --alarm: #ffb4a8; --alarm-ground: #4a1610;
    --s0: #56b4e9; --s1: #ff9d4d; --s2: #3fd0a4; --s3: #eb9cc9; --s4: #f0c64a; --s5: #e9e7e2; --s6: #4f83e8; --s7: #8d949e; --s8: #b79cf2;
    --h0: #a98be0; --h1: #8790e6; --h2: #6aa0dd; --h3: #4fb3c4; --h4: #46c3a0; --h5: #74d27c; --h6: #b5de4f; --h7: #fde34a;
  }
}
)css";

const std::string_view kPageStyle = R"css(
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 74rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, Liberation Sans, Helvetica Neue, sans-serif;
}
h1, h2, h3 { line-height: 1.2; margin: 0; font-weight: 650; text-wrap: balance; overflow-wrap: anywhere; }
h1 { font-size: clamp(1.8rem, 5vw, 2.7rem); letter-spacing: -0.02em; }
h2 { font-size: 1.45rem; letter-spacing: -0.01em; margin-bottom: 0.9rem; }
h3 { font-size: 1.05rem; margin-bottom: 0.35rem; }
p { margin: 0 0 0.9rem; max-width: 46rem; }
ul { margin: 0; padding-left: 1.1rem; }
code, .facts dd { overflow-wrap: anywhere; }
code { font-size: 0.85em; }
header { margin-bottom: 2rem; }
section { margin-top: 2.75rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
.kicker { color: var(--accent); font-size: 0.8rem; font-weight: 600; letter-spacing: 0.08em; text-transform: uppercase; margin-bottom: 0.4rem; }
.lead { color: var(--soft); font-size: 1.12rem; margin-top: 0.8rem; }
.note { color: var(--soft); font-size: 0.88rem; }
.banner { background: var(--alarm-ground); color: var(--alarm); border: 2px solid var(--alarm); border-radius: 0.6rem; padding: 1rem 1.25rem; }
.banner strong { display: block; font-size: 1.25rem; }
.warning { color: var(--alarm); font-weight: 600; }
.mark { color: var(--alarm); font-size: 0.78rem; margin-left: 0.5rem; white-space: nowrap; }
.promise { background: var(--tint); border-left: 4px solid var(--accent); border-radius: 0 0.6rem 0.6rem 0; padding: 1.25rem 1.5rem 0.4rem; margin-bottom: 1.25rem; }
.words { font-size: 1.25rem; line-height: 1.45; max-width: 52rem; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1.5rem 3rem; }
.scroll { overflow-x: auto; margin-bottom: 0.9rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 0.45rem 0.9rem 0.45rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
thead th { color: var(--soft); font-weight: 600; font-size: 0.8rem; vertical-align: bottom; }
tbody th { font-weight: 600; overflow-wrap: anywhere; min-width: 7rem; }
td.number { min-width: 4.5rem; white-space: nowrap; }
#models td { white-space: nowrap; }
.bar { display: block; appearance: none; border: 0; width: 100%; max-width: 7rem; height: 4px; margin-top: 0.2rem; border-radius: 2px; background: var(--line); }
.bar::-webkit-progress-bar { background: var(--line); border-radius: inherit; }
.bar::-webkit-progress-value { background: var(--accent); border-radius: inherit; }
.bar::-moz-progress-bar { background: var(--accent); border-radius: inherit; }
.balance + .bar { max-width: none; height: 10px; border-radius: 5px; margin: 0 0 1.4rem; }
.figure { margin: 0 0 2.25rem; }
.figure figcaption { font-size: 0.92rem; line-height: 1.45; max-width: 52rem; margin-top: 0.5rem; }
.figure .scroll { margin: 0; }
.chart { min-width: 54rem; }
.figure.small .chart { min-width: 38rem; }
.chart svg { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 0.6rem; background: var(--card); }
.chart summary { display: none; }
.chart details { border: 0; padding: 0; }
.numbers { border: 0; padding: 0.3rem 0; font-size: 0.88rem; }
.vega-actions a { margin-right: 1.2rem; font-size: 0.82rem; color: var(--accent); }
#vg-tooltip-element { position: fixed; visibility: hidden; z-index: 1000; padding: 0.35rem 0.6rem; border: 1px solid var(--line); border-radius: 0.4rem; background: var(--card); color: var(--ink); font-size: 0.82rem; pointer-events: none; }
#vg-tooltip-element.visible { visibility: visible; }
td.best { font-weight: 700; }
.model { margin-bottom: 2rem; }
.chip { display: inline-block; margin-left: 0.7rem; padding: 0.1rem 0.6rem; border-radius: 1rem; background: var(--tint); color: var(--accent); font-size: 0.85rem; font-weight: 500; }
.kind { margin-left: 0.7rem; color: var(--soft); font-size: 0.85rem; font-weight: 400; }
.gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(6rem, 1fr)); gap: 0.9rem; }
.gallery.wide { grid-template-columns: repeat(auto-fill, minmax(12.5rem, 1fr)); }
figure { margin: 0; break-inside: avoid; }
figcaption { font-size: 0.82rem; color: var(--soft); margin-top: 0.3rem; overflow-wrap: anywhere; line-height: 1.3; }
.images { display: flex; flex-wrap: wrap; gap: 3px; }
.images img { display: block; width: 100%; height: auto; border-radius: 4px; background: var(--line); }
.images.many img { flex: 1 1 2rem; width: 2rem; max-width: 3.2rem; }
.crisp { image-rendering: pixelated; }
details { border-bottom: 1px solid var(--line); padding: 0.6rem 0; }
summary { cursor: pointer; font-weight: 600; overflow-wrap: anywhere; }
details[open] summary { margin-bottom: 0.9rem; }
dl { margin: 0 0 1rem; display: grid; gap: 0.6rem 2rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); }
dt { color: var(--soft); font-size: 0.8rem; }
dd { margin: 0; }
.balance { grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); max-width: 46rem; }
.balance dd { font-size: 1.35rem; font-weight: 600; }
footer { margin-top: 3rem; padding-top: 1.2rem; border-top: 1px solid var(--line); }
@media print {
  :root { --ground: #fff; --tint: #f2f5f8; }
  body { padding: 0; max-width: none; font-size: 10pt; }
  section { break-inside: auto; margin-top: 1.5rem; padding-top: 1rem; }
  tr, .chart, .promise { break-inside: avoid; }
  .scroll { overflow: visible; }
  details:not(.numbers)::details-content { content-visibility: visible; }
}
)css";

std::string in_light_colours(std::string_view text) {
  std::string result;
  for (;;) {
    const size_t at = text.find("var(--");
    result += text.substr(0, at);
    if (at == text.npos) return result;
    const size_t end = text.find(')', at);
    // The light scheme stands first. A title may hold anything: what names no colour stays.
    const std::string definition = fmt::format("{}: ", text.substr(at + 4, end == text.npos ? end : end - at - 4));
    const size_t found = kColours.find(definition);
    const bool known = end != text.npos && found != kColours.npos;
    const size_t value = known ? found + definition.size() : 0;
    result += known ? kColours.substr(value, kColours.find(';', value) - value) : text.substr(at, 6);
    text.remove_prefix(known ? end + 1 : at + 6);
  }
}

}  // namespace dppl
