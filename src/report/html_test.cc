#include "report/html.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace dppl {
namespace {

TEST(EscapeHtml, LeavesNothingThatIsMarkup) {
  EXPECT_EQ(escape_html("<script>alert('x' & \"y\")</script>"),
            "&lt;script&gt;alert(&#39;x&#39; &amp; &quot;y&quot;)&lt;/script&gt;");
  EXPECT_EQ(escape_html("&lt;"), "&amp;lt;");
  EXPECT_EQ(escape_html("Eichhörnchen 🐿"), "Eichhörnchen 🐿");
  EXPECT_EQ(escape_html(""), "");
  EXPECT_EQ(escape_html("two\nlines"), "two\nlines");
}

TEST(EscapeHtml, ReplacesWhatIsNotText) {
  const std::string_view mark = "\xef\xbf\xbd";
  EXPECT_EQ(escape_html(std::string_view("a\0b", 3)), fmt::format("a{}b", mark));
  EXPECT_EQ(escape_html("\x1b[31m"), fmt::format("{}[31m", mark));
  EXPECT_EQ(escape_html("\xff<"), fmt::format("{}&lt;", mark));
  // A lead byte must not swallow the markup after it, nor an overlong '<' get through.
  EXPECT_EQ(escape_html("\xe2<b>"), fmt::format("{}&lt;b&gt;", mark));
  EXPECT_EQ(escape_html("\xc0\xbc"), fmt::format("{0}{0}", mark));
}

TEST(EscapeHtml, EveryByteIsHarmless) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(escape_html(all).find_first_of("<>\"'"), std::string::npos);
}

TEST(HtmlWriter, NestsAndEscapes) {
  HtmlWriter out;
  out.element("figure", {{"class", "a\"b"}}, [&] {
    out.leaf("img", {{"alt", "<x>"}, {"src", "data:,"}});
    out.text_element("figcaption", "a < b", {{"id", "c"}, {"class", ""}});
    out.text("&");
  });
  EXPECT_EQ(out.html(),
            "<figure class=\"a&quot;b\"><img alt=\"&lt;x&gt;\" src=\"data:,\"/>"
            "<figcaption id=\"c\">a &lt; b</figcaption>&amp;</figure>");
}

TEST(HtmlWriter, JsonEndsNoElement) {
  HtmlWriter out;
  out.json(R"({"a":"</script><!--"})", {{"type", "application/json"}});
  EXPECT_TRUE(out.has_json());
  EXPECT_EQ(out.html(), R"(<script type="application/json">{"a":"\u003c/script>\u003c!--"}</script>)");
}

}  // namespace
}  // namespace dppl
