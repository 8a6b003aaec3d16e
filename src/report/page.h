#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "report/html.h"

namespace dppl {

// A section with its heading.
template <typename Body>
void section(HtmlWriter& out, std::string id, std::string_view heading, Body&& body) {
  out.element("section", {{"id", std::move(id)}}, [&] {
    out.text_element("h2", heading);
    body();
  });
}

// How a page's policy admits a style sheet or a script that stands in it: "'sha256-…'".
std::string policy_hash(std::string_view text);

// A whole HTML document around a body. Its policy forbids every load; images come as data, and the one style sheet and,
// where charts are on the page, the scripts that draw them are admitted by their hashes.
std::string html_page(std::string_view title, const HtmlWriter& body);
// That in words, for readers of the page.
std::string_view script_words(const HtmlWriter& body);

}  // namespace dppl
