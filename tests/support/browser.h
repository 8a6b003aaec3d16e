#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace dppl::testing {

// Chromium without a window.
bool have_browser();

struct BrowserView {
  nlohmann::json facts;              // what the probe found
  std::vector<std::string> console;  // messages, errors and refusals of the page's policy among them
};

// Opens a page in a frame of this width and hands its document to `probe`, a JavaScript function, maybe an async one,
// once it has loaded.
// Other files are written to `dir`. Throws std::runtime_error when the browser does not come to an end.
BrowserView open_in_browser(const TempDir& dir, const std::string& page, const std::string& probe, int width = 1000);

}  // namespace dppl::testing
