#include "report/page.h"

#include <fmt/format.h>
#include <sodium.h>

#include "report/html.h"
#include "report/png.h"
#include "report/style.h"

namespace dppl {
namespace {

std::string hash_of(std::string_view text) {
  std::string hash(crypto_hash_sha256_BYTES, '\0');
  crypto_hash_sha256(reinterpret_cast<unsigned char*>(hash.data()), reinterpret_cast<const unsigned char*>(text.data()),
                     text.size());
  return fmt::format("'sha256-{}'", base64(hash));
}

}  // namespace

std::string html_page(std::string_view title, std::string_view body, std::span<const std::string_view> scripts) {
  const std::string style = fmt::format("{}{}{}", kColours, kFigureStyle, kPageStyle);
  std::string policy = fmt::format("default-src 'none'; img-src data:; style-src {}", hash_of(style)), code;
  for (const std::string_view script : scripts) {
    policy += fmt::format("{}{}", code.empty() ? "; script-src " : " ", hash_of(script));
    code += fmt::format("<script>{}</script>\n", script);
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
      policy, escape_html(title), style, body, code);
}

}  // namespace dppl
