#include "support/browser.h"

#include <sstream>
#include <stdexcept>

#include "support/run_program.h"

namespace dppl::testing {
namespace {

// The probe is outside of the page, whose own policy allows no script.
std::string frame_around(const std::string& page, const std::string& probe, int width) {
  std::ostringstream html;
  html << "<!DOCTYPE html><meta charset=\"utf-8\"><iframe id=\"page\" width=\"" << width
       << "\" height=\"900\"></iframe>"
       << "<pre id=\"facts\"></pre><script>const probe = " << probe << ";\n"
       << "const frame = document.getElementById('page');\n"
       << "frame.onload = async () => {\n"
       << "  const bytes = new TextEncoder().encode(JSON.stringify(await probe(frame.contentDocument)));\n"
       << "  const hex = [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('');\n"
       << "  document.getElementById('facts').textContent = hex;\n"
       << "};\n"
       << "frame.src = 'file://" << page << "';</script>";
  return html.str();
}

// Hexadecimal, so that nothing in it is escaped as HTML.
std::string decode(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

}  // namespace

bool have_browser() { return run_command({"sh", "-c", "command -v chromium"}).status == 0; }

BrowserView open_in_browser(const TempDir& dir, const std::string& page, const std::string& probe, int width) {
  const std::string frame = dir.file("frame.html", frame_around(page, probe, width));
  const RunResult result =
      run_command({"timeout", "60", "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                   "--user-data-dir=" + dir.path("browser"), "--allow-file-access-from-files",
                   "--enable-logging=stderr", "--virtual-time-budget=10000", "--dump-dom", "file://" + frame});
  const std::string_view mark = "<pre id=\"facts\">";
  const size_t begin = result.out.find(mark), end = result.out.find("</pre>");
  if (result.status != 0 || begin == std::string::npos || end <= begin + mark.size())
    throw std::runtime_error("chromium: no facts about the page\n" + result.out + result.err);
  const std::string facts = decode(result.out.substr(begin + mark.size(), end - begin - mark.size()));
  BrowserView view{nlohmann::json::parse(facts), {}};
  std::istringstream log(result.err);
  for (std::string line; std::getline(log, line);) {
    if (line.find(":CONSOLE") != std::string::npos) view.console.push_back(line);
  }
  return view;
}

}  // namespace dppl::testing
