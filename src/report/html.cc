#include "report/html.h"

#include "base/utf8.h"

namespace dppl {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

std::string_view escaped(uint32_t character, std::string_view bytes) {
  switch (character) {
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '&':
      return "&amp;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    case '\n':
    case '\t':
      return bytes;
    default:
      return is_control(character) ? kReplacement : bytes;
  }
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::string_view before = text;
    if (const std::optional<uint32_t> character = take_character(text)) {
      result += escaped(*character, before.substr(0, before.size() - text.size()));
    } else {
      result += kReplacement;
      text.remove_prefix(1);
    }
  }
  return result;
}

void HtmlWriter::text_element(std::string_view tag, std::string_view contents, Attributes attributes) {
  element(tag, attributes, [&] { text(contents); });
}

void HtmlWriter::json(std::string_view json, Attributes attributes) {
  open("script", attributes);
  // Only within strings is there a "<"; nothing in them may look like the element's end.
  for (const char c : json) c == '<' ? html_ += "\\u003c" : html_ += c;
  close("script");
  has_json_ = true;
}

void HtmlWriter::leaf(std::string_view tag, Attributes attributes) {
  begin(tag, attributes);
  html_ += "/>";
}

void HtmlWriter::open(std::string_view tag, Attributes attributes) {
  begin(tag, attributes);
  html_ += '>';
}

void HtmlWriter::close(std::string_view tag) { html_.append("</").append(tag).append(">"); }

void HtmlWriter::begin(std::string_view tag, Attributes attributes) {
  html_.append("<").append(tag);
  for (const auto& [name, value] : attributes) {
    if (name == "class" && value.empty()) continue;
    html_.append(" ").append(name).append("=\"").append(escape_html(value)).append("\"");
  }
}

}  // namespace dppl
