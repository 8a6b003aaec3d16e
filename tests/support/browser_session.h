#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace dppl::testing {

// Chromium without a window, over its debugging pipe: for pages that are used, where open_in_browser() of browser.h
// only looks. Every wait ends after a minute with std::runtime_error.
class BrowserSession {
 public:
  // The browser's own files are in `dir`. Cameras show a test picture, and may be used without asking.
  explicit BrowserSession(const TempDir& dir);
  ~BrowserSession();
  BrowserSession(const BrowserSession&) = delete;
  BrowserSession& operator=(const BrowserSession&) = delete;

  // Returns once the page has loaded.
  void open(const std::string& url);
  // The same for a page that a server has: every request is answered with `html` if it is for this address, and with an
  // error otherwise.
  void open_from_server(const std::string& url, const std::string& html);
  void set_view(int width, int height, bool dark = false);

  // The value of an expression, awaited. Throws std::runtime_error with what the page throws.
  nlohmann::json evaluate(const std::string& expression);
  // Until the expression is true.
  void wait_until(const std::string& expression);

  // What visitors do. Files are of this machine.
  void choose_files(const std::string& input_id, const std::vector<std::string>& paths);
  void drop_files(const std::vector<std::string>& paths);
  // "Tab", "Enter", "Escape", "ArrowRight", …
  void press(const std::string& key);

  // All that the page asked for, itself included, but for what it has in itself (data:, blob:).
  const std::vector<std::string>& requests() const { return requests_; }
  // Messages, errors and refusals of the page's policy.
  const std::vector<std::string>& console() const { return console_; }

  // A command of Chromium's debugging protocol and its result.
  nlohmann::json call(const std::string& method, const nlohmann::json& params = nlohmann::json::object());

 private:
  nlohmann::json next_message();
  void note(const nlohmann::json& event);
  void send(const std::string& method, const nlohmann::json& params, int number);

  int pid_ = 0, commands_ = -1, answers_ = -1, last_ = 0;
  std::string session_, received_;
  std::string served_url_, served_html_;
  bool loaded_ = false;
  std::vector<std::string> requests_, console_;
};

}  // namespace dppl::testing
