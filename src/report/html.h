#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace dppl {

// Text as it may stand in HTML, in an element or in a quoted attribute. What is not UTF-8 becomes U+FFFD, as do control
// characters that HTML forbids, so a page is valid whatever a file name or a class name holds.
std::string escape_html(std::string_view text);

// Writes HTML. Every text and every attribute's value is escaped; names of tags and attributes are ours. An empty class
// is left out. Elements close in the order in which they were opened.
class HtmlWriter {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

  // <tag …> what `body` writes </tag>
  template <typename Body>
  void element(std::string_view tag, Attributes attributes, Body&& body) {
    open(tag, attributes);
    body();
    close(tag);
  }
  void text_element(std::string_view tag, std::string_view text, Attributes attributes = {});
  void paragraph(std::string_view text, std::string style = "") { text_element("p", text, {{"class", style}}); }
  // An element without contents: <img …/>.
  void leaf(std::string_view tag, Attributes attributes);
  void text(std::string_view text) { html_ += escape_html(text); }
  // JSON for a script of the page to read.
  void json(std::string_view json, Attributes attributes);

  bool has_json() const { return has_json_; }
  const std::string& html() const { return html_; }

 private:
  void open(std::string_view tag, Attributes attributes);
  void close(std::string_view tag);
  void begin(std::string_view tag, Attributes attributes);

  std::string html_;
  bool has_json_ = false;
};

}  // namespace dppl
