// The page as a browser shows it.
#include <gtest/gtest.h>

#include "report/vega.h"
#include "support/browser.h"
#include "support/small_pictures.h"

namespace dppl {
namespace {

using testing::open_in_browser;
using testing::SmallPictures;
using testing::TempDir;

constexpr const char* kProbe = R"js(async (page) => {
  const all = (selector) => [...page.querySelectorAll(selector)];
  const charts = all('script.chart').length;
  while (all('.chart svg').length < charts) await new Promise((again) => setTimeout(again, 20));
  const points = all('.chart .mark-symbol path').filter((path) => path.getAttribute('aria-roledescription') === 'point');
  const inside = (point) => {
    const box = point.getBoundingClientRect(), plot = point.closest('svg').getBoundingClientRect();
    return box.width > 0 && box.left >= plot.left && box.right <= plot.right && box.top >= plot.top &&
           box.bottom <= plot.bottom;
  };
  const body = page.defaultView.getComputedStyle(page.body);
  return {
    title: page.title,
    images: page.images.length,
    loaded: [...page.images].filter((image) => image.complete && image.naturalWidth == 8 && image.width > 8).length,
    charts,
    points: points.length,
    points_inside: points.filter(inside).length,
    numbers: all('details.numbers tbody tr').length,
    open: all('details.numbers').filter((numbers) => numbers.open).length,
    captions: all('.gallery figcaption').map((caption) => caption.textContent),
    elements: all('script:not(.chart), link, iframe, object, form:not(.vega-bindings)').length,
    styled: body.maxWidth != 'none',
    color: body.color,
    overflow: page.documentElement.scrollWidth - page.documentElement.clientWidth,
  };
})js";

class ReportInBrowser : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::have_browser()) GTEST_SKIP() << "chromium is not installed (scripts/setup.sh --test installs it)";
  }
  const TempDir dir;
};

TEST_F(ReportInBrowser, ShowsImagesPlotsAndNamesWithoutAComplaint) {
  const SmallPictures world(dir);
  const std::string page =
      world.report({world.fit("public-2", {"--method", "public", "--epsilon", "2"}),
                    world.fit("public-8", {"--method", "public", "--epsilon", "8"}),
                    world.fit("k", {"--method", "public-k", "--k", "2", "--epsilon", "8"}),
                    world.fit("mean", {"--method", "mean", "--transform", "center", "--rho", "1"})},
                   {"--title", "<b>Bands</b>"});
  for (const int width : {1000, 360}) {
    const auto view = open_in_browser(dir, page, kProbe, width);
    EXPECT_EQ(view.facts.at("title"), "<b>Bands</b>");
    // One per class twice, two per class, and the four nearest per class of the mean.
    EXPECT_EQ(view.facts.at("images"), 3 * (1 + 1 + 2 + 4));
    EXPECT_EQ(view.facts.at("loaded"), view.facts.at("images"));
    const bool live = !vega_library().empty();
    EXPECT_EQ(view.facts.at("charts"), live ? 1 : 0);
    EXPECT_EQ(view.facts.at("points"), live ? 3 * 4 : 0);
    EXPECT_EQ(view.facts.at("points_inside"), view.facts.at("points"));
    EXPECT_GE(view.facts.at("numbers"), 3 * 3);  // three measures at three ρ at least
    EXPECT_EQ(view.facts.at("open"), live ? 0 : 1);
    ASSERT_EQ(view.facts.at("captions").size(), 4 * testing::kHostileNames.size());
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(view.facts.at("captions")[i], testing::kHostileNames[i]);
    EXPECT_EQ(view.facts.at("elements"), live ? 2 : 0);
    EXPECT_EQ(view.facts.at("styled"), true);
    EXPECT_EQ(view.facts.at("overflow"), 0) << width;
    EXPECT_TRUE(view.console.empty()) << view.console.front();
  }
}

// Were something of the kind ever to get into the page, it would not run, load or restyle; and the test above would see
// the browser's complaints.
TEST_F(ReportInBrowser, ThePolicyStopsWhatIsForeign) {
  const SmallPictures world(dir);
  const std::string page =
      world.report({world.fit("mean", {"--method", "mean", "--transform", "center", "--rho", "1"})});
  std::string html = testing::read_text(page);
  html.insert(html.find("</body>"),
              "<script>document.title = 'run'</script><style>body { color: rgb(1, 2, 3) !important }</style>"
              "<img src=\"frame.html\">");
  dir.file("changed.html", html);
  const auto view = open_in_browser(dir, dir.path("changed.html"), kProbe);
  EXPECT_EQ(view.facts.at("title"), "mean");
  EXPECT_NE(view.facts.at("color"), "rgb(1, 2, 3)");
  EXPECT_EQ(view.facts.at("styled"), true);
  EXPECT_EQ(view.console.size(), 3u);
  for (const std::string& line : view.console)
    EXPECT_NE(line.find("Content Security Policy"), std::string::npos) << line;
}

}  // namespace
}  // namespace dppl
