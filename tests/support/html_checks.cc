#include "support/html_checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "report/vega.h"

namespace dppl::testing {
namespace {

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == ':'; }

std::string_view take_name(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), in_name);
  const std::string_view name = text.substr(0, static_cast<size_t>(end - text.begin()));
  text.remove_prefix(name.size());
  return name;
}

// Takes ` name="value"` off the front, as long as there is one.
void skip_attributes(std::string_view& text) {
  while (text.starts_with(' ')) {
    std::string_view rest = text.substr(1);
    if (take_name(rest).empty() || !rest.starts_with("=\"")) return;
    const size_t end = rest.find('"', 2);
    if (end == std::string_view::npos) return;
    text = rest.substr(end + 1);
  }
}

}  // namespace

size_t count_of(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

void expect_balanced(std::string_view html) {
  std::vector<std::string_view> open;
  for (size_t at = html.find('<'); at != std::string_view::npos; at = html.find('<', at)) {
    const size_t end = html.find('>', at);
    ASSERT_NE(end, std::string_view::npos);
    const std::string_view tag = html.substr(at, end + 1 - at);
    at = end;
    if (tag.starts_with("<!") || tag.starts_with("<meta")) continue;
    const bool closes = tag.starts_with("</");
    std::string_view rest = tag.substr(closes ? 2 : 1);
    const std::string_view name = take_name(rest);
    skip_attributes(rest);
    ASSERT_FALSE(name.empty()) << tag;
    ASSERT_TRUE(rest == ">" || (rest == "/>" && !closes)) << tag;
    if (closes) {
      ASSERT_FALSE(open.empty()) << tag;
      ASSERT_EQ(open.back(), name);
      open.pop_back();
    } else if (rest == ">") {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty()) << open.back();
}

void expect_words(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) EXPECT_NE(text.find(word), std::string_view::npos) << word;
}

std::string without_scripts(std::string_view page) {
  std::string rest;
  for (const std::string_view end = "</script>"; !page.empty();) {
    const size_t begin = std::min(page.find("<script"), page.size());
    rest += page.substr(0, begin);
    page.remove_prefix(begin);
    if (page.empty()) break;
    const size_t body = page.find('>') + 1, stop = page.find(end);
    const std::string_view tag = page.substr(0, body), script = page.substr(body, stop - body);
    if (tag == "<script>") {
      EXPECT_TRUE(script == vega_library() || script == kDrawCharts) << script.substr(0, 200);
    } else {
      EXPECT_TRUE(tag.starts_with("<script type=\"application/json\" class=\"chart\" data-name=\"")) << tag;
      EXPECT_EQ(script.find('<'), std::string_view::npos) << script;
    }
    page.remove_prefix(stop + end.size());
  }
  return rest;
}

void expect_sound_page(std::string_view whole) {
  const std::string page = without_scripts(whole);
  expect_balanced(page);
  expect_words(page, {"<!DOCTYPE html>", "default-src 'none'", "<meta charset=\"utf-8\">"});
  // Scripts are there where a chart is, and admitted by their hashes alone.
  const bool charts = whole.find("class=\"chart\"") != std::string_view::npos;
  EXPECT_EQ(count_of(whole, "<script>"), charts ? 2u : 0u);
  EXPECT_EQ(count_of(page, "; script-src 'sha256-"), charts ? 1u : 0u);
  EXPECT_EQ(page.find("unsafe"), std::string_view::npos);
  for (const char* load : {"<script", "<link", "<iframe", "http:", "https:", "url(", "@import",
                           "javascript:", " style=", "src=\"h", "src=\"/", "href"}) {
    EXPECT_EQ(page.find(load), std::string_view::npos) << load;
  }
  EXPECT_EQ(count_of(page, "<img "), count_of(page, "<img src=\"data:image/png;base64,"));
}

}  // namespace dppl::testing
