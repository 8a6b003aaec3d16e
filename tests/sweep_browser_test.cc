// The page of a sweep as a browser shows it.
#include <gtest/gtest.h>

#include "lab/figures/drawings.h"
#include "report/style.h"
#include "report/vega.h"
#include "support/browser.h"
#include "support/html_checks.h"
#include "support/run_program.h"
#include "support/sample_sweep.h"

namespace dppl {
namespace {

using testing::open_in_browser;
using testing::TempDir;

size_t charts_in(const std::vector<Figure>& figures) {
  return static_cast<size_t>(
      std::count_if(figures.begin(), figures.end(), [](const Figure& figure) { return !figure.panels.empty(); }));
}

class SweepInBrowser : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::have_browser()) GTEST_SKIP() << "chromium is not installed (scripts/setup.sh --test installs it)";
  }
  const TempDir dir;
};

// Where no script runs, every figure is there as a table.
TEST_F(SweepInBrowser, ShowsTheNumbersWithoutScripts) {
  const SweepResults results = testing::sample_sweep();
  const std::vector<Figure> figures = sweep_drawings(results);
  const std::string page = dir.file("sweep.html", testing::without_scripts(sweep_html(results, figures)));
  for (const int width : {1200, 360}) {
    const auto view = open_in_browser(dir, page, R"js((page) => {
      const all = (selector) => [...page.querySelectorAll(selector)];
      const box = (element) => element.getBoundingClientRect();
      return {
        title: page.title,
        tables: all('figure table').filter((table) => box(table).width > 100 && box(table).height > 30).length,
        elements: all('script, link, iframe, object, form').length,
        overflow: page.documentElement.scrollWidth - page.documentElement.clientWidth,
      };
    })js",
                                      width);
    EXPECT_EQ(view.facts.at("title"), results.title);
    EXPECT_EQ(view.facts.at("tables"), figures.size());
    EXPECT_EQ(view.facts.at("elements"), 0);
    EXPECT_EQ(view.facts.at("overflow"), 0) << width;
    EXPECT_TRUE(view.console.empty()) << view.console.front();
  }
}

// Vega-Lite draws every chart and folds its numbers, within the page's policy; the legend picks, the mouse tells.
TEST_F(SweepInBrowser, DrawsCharts) {
  if (vega_library().empty()) GTEST_SKIP() << "built without Vega-Lite (scripts/setup.sh --test fetches it)";
  SweepResults results = testing::sample_sweep();
  results.rows.front().method += "</script><b>";
  const std::vector<Figure> figures = sweep_drawings(results);
  const size_t charts = charts_in(figures);
  const std::string page = dir.file("sweep.html", sweep_html(results, figures));
  for (const int width : {1200, 360}) {
    const auto view = open_in_browser(dir, page, R"js(async (page) => {
      const all = (selector, from = page) => [...from.querySelectorAll(selector)];
      const box = (element) => element.getBoundingClientRect();
      const charts = all('script.chart').length;
      while (all('.chart svg').length < charts) await new Promise((again) => setTimeout(again, 20));
      const outside = (chart) => all('text, .mark-symbol path, .mark-area path', chart).filter((element) => {
        const a = box(element), b = box(chart);
        return a.width > 0 && (a.left < b.left || a.right > b.right || a.top < b.top || a.bottom > b.bottom);
      });
      const overlaps = (chart) => {
        const texts = all('text', chart).filter((text) => text.textContent && !text.closest('[class*="layer_"].mark-text'));
        const boxes = texts.filter((text) => +text.getAttribute('opacity') !== 0).map(box);
        // A pixel for what a line of text has above its letters.
        return boxes.some((a, i) => boxes.slice(i + 1).some((b) =>
          a.left < b.right && b.left < a.right && a.top + 1 < b.bottom - 1 && b.top + 1 < a.bottom - 1));
      };
      const figure = page.querySelector('#top-k');
      const faded = () => all('.mark-line path', figure).filter((line) => +line.getAttribute('opacity') < 0.5).length;
      const before = faded();
      const name = all('.role-legend-symbol path', figure)[0];
      const at = box(name);
      const click = (type) => name.dispatchEvent(new MouseEvent(type, {
        bubbles: true, view: page.defaultView, clientX: at.x + at.width / 2, clientY: at.y + at.height / 2}));
      ['pointerdown', 'mousedown', 'mouseup', 'click'].forEach(click);
      await new Promise((again) => setTimeout(again, 200));
      const point = all('#top-k .mark-symbol path').find((path) => path.getAttribute('aria-roledescription') === 'point');
      point.dispatchEvent(new MouseEvent('pointermove', {bubbles: true, view: page.defaultView, clientX: 5, clientY: 5}));
      point.dispatchEvent(new MouseEvent('mousemove', {bubbles: true, view: page.defaultView, clientX: 5, clientY: 5}));
      await new Promise((again) => setTimeout(again, 200));
      const tooltip = page.querySelector('#vg-tooltip-element');
      return {
        charts, drawn: all('.chart svg').length, before, after: faded(), tooltip: tooltip ? tooltip.textContent : '',
        empty: all('.chart svg').filter((svg) => all('.mark-line path, .mark-symbol path', svg).length === 0).length,
        outside: all('.chart svg').flatMap(outside).map((element) => element.textContent || element.outerHTML),
        overlapping: all('figure').filter(overlaps).map((chart) => chart.id),
        folded: all('details.numbers').filter((numbers) => !numbers.open).length,
        saved: all('.vega-actions a').length, broken: all('b').length,
        names: all('div.chart').map((chart) => chart.textContent).join(),
        overflow: page.documentElement.scrollWidth - page.documentElement.clientWidth,
      };
    })js",
                                      width);
    EXPECT_EQ(view.facts.at("charts"), charts);
    EXPECT_EQ(view.facts.at("drawn"), charts);
    EXPECT_EQ(view.facts.at("folded"), charts);
    EXPECT_EQ(view.facts.at("empty"), 0);
    EXPECT_TRUE(view.facts.at("outside").empty()) << view.facts.at("outside");
    EXPECT_TRUE(view.facts.at("overlapping").empty()) << view.facts.at("overlapping");
    EXPECT_EQ(view.facts.at("saved"), 2 * charts);
    EXPECT_EQ(view.facts.at("before"), 0);
    EXPECT_GT(view.facts.at("after"), 0);
    EXPECT_NE(view.facts.at("tooltip").get<std::string>().find("K = "), std::string::npos) << view.facts.at("tooltip");
    EXPECT_EQ(view.facts.at("broken"), 0);
    const std::string names = view.facts.at("names");
    EXPECT_NE(names.find("</script><b>"), std::string::npos);
    for (const char* wrong : {"undefined", "NaN", "null"}) EXPECT_EQ(names.find(wrong), std::string::npos) << wrong;
    EXPECT_EQ(view.facts.at("overflow"), 0);
    EXPECT_TRUE(view.console.empty()) << view.console.front();
  }
}

// A specification alone becomes a picture, for documents.
TEST(DrawFigures, MakesPicturesOfSpecifications) {
  if (vega_library().empty() || run_command({"sh", "-c", "command -v node"}).status != 0)
    GTEST_SKIP() << "there is no node, or no Vega-Lite (scripts/setup.sh --test fetches it)";
  const TempDir dir;
  std::vector<std::string> command = {DPPL_SOURCE_DIR "/scripts/draw-figures.sh"};
  for (const Figure& figure : sweep_drawings(testing::sample_sweep())) {
    if (figure.name != "top-k" && figure.name != "class-sizes" && !figure.name.starts_with("map")) continue;
    command.push_back(dir.file(figure.name + ".vl.json", in_light_colours(vega_lite(figure))));
  }
  const auto result = run_command(command);
  ASSERT_EQ(result.status, 0) << result.err;
  const std::string svg = testing::read_text(dir.path("top-k.svg"));
  testing::expect_balanced(svg);
  testing::expect_words(svg, {"<svg xmlns=\"http://www.w3.org/2000/svg\"", ">K = 10<", ">Imbalance ratio 100<"});
  for (const char* wrong : {"NaN", "undefined", "var("}) EXPECT_EQ(svg.find(wrong), std::string::npos) << wrong;
}

}  // namespace
}  // namespace dppl
