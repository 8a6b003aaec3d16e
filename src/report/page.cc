#include "report/page.h"

#include <fmt/format.h>
#include <sodium.h>

#include "report/png.h"
#include "report/style.h"
#include "report/vega.h"

namespace dppl {

std::string policy_hash(std::string_view text) {
  std::string hash(crypto_hash_sha256_BYTES, '\0');
  crypto_hash_sha256(reinterpret_cast<unsigned char*>(hash.data()), reinterpret_cast<const unsigned char*>(text.data()),
                     text.size());
  return fmt::format("'sha256-{}'", base64(hash));
}

std::string html_page(std::string_view title, const HtmlWriter& body) {
  const std::string style = fmt::format("{}{}", kColours, kPageStyle);
  std::string policy = fmt::format("default-src 'none'; img-src data:; style-src {}", policy_hash(style)), scripts;
  if (body.has_json()) {
    policy += fmt::format("; script-src {} {}", policy_hash(vega_library()), policy_hash(kDrawCharts));
    scripts = fmt::format("<script>{}</script>\n<script>{}</script>\n", vega_library(), kDrawCharts);
  }
  return fmt::format(
      "<!DOCTYPE html>\n"
      "<html lang=\"en\">\n"
      "<head>\n"
      "<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<title>{}</title>\n"
      "<style>{}</style>\n"
      "</head>\n"
      "<body>\n{}\n{}</body>\n"
      "</html>\n",
      policy, escape_html(title), style, body.html(), scripts);
}

std::string_view script_words(const HtmlWriter& body) {
  return body.has_json()
             ? "It loads nothing. Its only scripts are Vega-Lite, which it brings along, and one that has it "
               "draw the charts: values show on hovering, and a click on a name in a legend brings that "
               "line out."
             : "It loads nothing and runs no script.";
}

}  // namespace dppl
