// The page of a sweep as a browser shows it.
#include <gtest/gtest.h>

#include "report/vega.h"
#include "support/browser.h"
#include "support/html_checks.h"
#include "support/sample_sweep.h"

namespace dppl {
namespace {

using testing::open_in_browser;
using testing::TempDir;

constexpr const char* kProbe = R"js((page) => {
  const all = (selector, from = page) => [...from.querySelectorAll(selector)];
  const box = (element) => element.getBoundingClientRect();
  const visible = (element) => box(element).width > 100 && box(element).height > 100;
  const plots = all('.figure svg.plot');
  const outside = (plot) => all('text, .point, .band, .cloud', plot).filter((element) => {
    const a = box(element), b = box(plot);
    return a.left < b.left || a.right > b.right || a.top < b.top || a.bottom > b.bottom;
  });
  const overlaps = (plot) => {
    const boxes = all('text:not(.tag)', plot).filter((text) => text.textContent).map(box);
    let count = 0;
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
      // A pixel for what a line of text has above its letters.
      if (a.left < b.right && b.left < a.right && a.top + 1 < b.bottom - 1 && b.top + 1 < a.bottom - 1) ++count;
    }));
    return count;
  };
  return {
    title: page.title,
    figures: plots.length,
    visible: plots.filter(visible).length,
    tables: all('figure table').filter(visible).length,
    outside: plots.flatMap(outside).map((element) => element.textContent),
    overlapping: plots.filter(overlaps).map((plot) => plot.id),
    elements: all('script, link, iframe, object, form').length,
    overflow: page.documentElement.scrollWidth - page.documentElement.clientWidth,
  };
})js";

TEST(SweepInBrowser, ShowsEveryFigureWholeAndWithoutAComplaint) {
  if (!testing::have_browser()) GTEST_SKIP() << "chromium is not installed (scripts/setup.sh --test installs it)";
  const TempDir dir;
  const SweepResults results = testing::sample_sweep();
  size_t pictures = 0, tables = 0;
  for (const SweepFigure& figure : draw_figures(results)) {
    pictures += figure.svg.empty() ? 0 : 1;
    tables += figure.table.empty() ? 0 : 1;
  }
  const std::string page = dir.file("sweep.html", sweep_html(results, SweepCharts::still));
  for (const int width : {1200, 360}) {
    const auto view = open_in_browser(dir, page, kProbe, width);
    EXPECT_EQ(view.facts.at("title"), results.title);
    EXPECT_EQ(view.facts.at("figures"), pictures);
    EXPECT_EQ(view.facts.at("visible"), pictures);
    EXPECT_EQ(view.facts.at("tables"), tables);
    EXPECT_TRUE(view.facts.at("outside").empty()) << view.facts.at("outside");
    EXPECT_TRUE(view.facts.at("overlapping").empty()) << view.facts.at("overlapping");
    EXPECT_EQ(view.facts.at("elements"), 0);
    EXPECT_EQ(view.facts.at("overflow"), 0) << width;
    EXPECT_TRUE(view.console.empty()) << view.console.front();
  }
}

// Vega-Lite draws every figure in place of the still one, within the page's policy; the legend picks, the mouse tells.
TEST(SweepInBrowser, DrawsLiveCharts) {
  if (!testing::have_browser()) GTEST_SKIP() << "chromium is not installed (scripts/setup.sh --test installs it)";
  if (vega_library().empty()) GTEST_SKIP() << "built without Vega-Lite (scripts/setup.sh --test fetches it)";
  const TempDir dir;
  SweepResults results = testing::sample_sweep();
  results.rows.front().method += "</script><b>";
  size_t pictures = 0;
  for (const SweepFigure& figure : draw_figures(results)) pictures += figure.svg.empty() ? 0 : 1;
  const std::string page = dir.file("sweep.html", sweep_html(results));
  const auto view = open_in_browser(dir, page, R"js(async (page) => {
    const all = (selector, from = page) => [...from.querySelectorAll(selector)];
    const charts = all('script.chart').length;
    while (all('.chart > svg, .chart .marks').length < charts) await new Promise((again) => setTimeout(again, 20));
    const figure = page.querySelector('#top-k');
    const faded = () => all('.mark-line path', figure).filter((line) => +line.getAttribute('opacity') < 0.5).length;
    const before = faded();
    const name = all('.role-legend-symbol path', figure)[0];
    const at = name.getBoundingClientRect();
    const click = (type) => name.dispatchEvent(new MouseEvent(type, {
      bubbles: true, view: page.defaultView, clientX: at.x + at.width / 2, clientY: at.y + at.height / 2}));
    ['pointerdown', 'mousedown', 'mouseup', 'click'].forEach(click);
    await new Promise((again) => setTimeout(again, 200));
    return {
      charts, drawn: all('.chart svg').length, still: all('svg.plot').length, before, after: faded(),
      empty: all('.chart svg').filter((svg) => all('.mark-line path, .mark-symbol path', svg).length === 0).length,
      saved: all('.vega-actions a').length, broken: all('b').length, names: all('div.chart').map((chart) => chart.textContent).join(),
      overflow: page.documentElement.scrollWidth - page.documentElement.clientWidth,
    };
  })js",
                                    1200);
  EXPECT_EQ(view.facts.at("charts"), pictures);
  EXPECT_EQ(view.facts.at("drawn"), pictures);
  EXPECT_EQ(view.facts.at("still"), 0);
  EXPECT_EQ(view.facts.at("empty"), 0);
  EXPECT_EQ(view.facts.at("saved"), 2 * pictures);
  EXPECT_EQ(view.facts.at("before"), 0);
  EXPECT_GT(view.facts.at("after"), 0);
  EXPECT_EQ(view.facts.at("broken"), 0);
  EXPECT_NE(view.facts.at("names").get<std::string>().find("</script><b>"), std::string::npos);
  for (const char* wrong : {"undefined", "NaN", "null"}) {
    EXPECT_EQ(view.facts.at("names").get<std::string>().find(wrong), std::string::npos)
        << wrong << ": " << view.facts.at("names");
  }
  EXPECT_EQ(view.facts.at("overflow"), 0);
  EXPECT_TRUE(view.console.empty()) << view.console.front();
}

// A figure's file is SVG as a browser's XML parser takes it, and has its style with it.
TEST(SweepInBrowser, FiguresStandAlone) {
  if (!testing::have_browser()) GTEST_SKIP() << "chromium is not installed (scripts/setup.sh --test installs it)";
  const TempDir dir;
  for (const SweepFigure& figure : draw_figures(testing::sample_sweep())) {
    if (figure.name != "top-k" && figure.name != "class-sizes" && !figure.name.starts_with("map")) continue;
    const auto view = open_in_browser(dir, dir.file(figure.name + ".svg", figure.svg), R"js((page) => ({
      root: page.documentElement.nodeName,
      errors: page.querySelectorAll('parsererror').length,
      width: page.documentElement.getBoundingClientRect().width,
      heading: page.defaultView.getComputedStyle(page.querySelector('.heading')).fontSize,
    }))js");
    EXPECT_EQ(view.facts.at("root"), "svg") << figure.name;
    EXPECT_EQ(view.facts.at("errors"), 0) << figure.name;
    EXPECT_GT(view.facts.at("width"), 500) << figure.name;
    EXPECT_EQ(view.facts.at("heading"), "16px") << figure.name;
    EXPECT_TRUE(view.console.empty()) << view.console.front();
  }
}

}  // namespace
}  // namespace dppl
