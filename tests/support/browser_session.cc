#include "support/browser_session.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "report/png.h"

extern char** environ;

namespace dppl::testing {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(60);
// Where Chromium reads commands and writes answers.
constexpr int kCommands = 3, kAnswers = 4;

void require(bool good, const char* what) {
  if (!good) throw std::system_error(errno, std::generic_category(), what);
}

struct Key {
  const char* name;
  int code;
  const char* text;
};
constexpr std::array<Key, 6> kKeys = {{{"Tab", 9, ""},
                                       {"Enter", 13, "\r"},
                                       {"Escape", 27, ""},
                                       {" ", 32, " "},
                                       {"ArrowLeft", 37, ""},
                                       {"ArrowRight", 39, ""}}};

}  // namespace

BrowserSession::BrowserSession(const TempDir& dir) {
  // A browser that has ended must not end the test.
  signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> to{}, from{};
  require(pipe2(to.data(), O_CLOEXEC) == 0 && pipe2(from.data(), O_CLOEXEC) == 0, "pipe2");
  std::vector<std::string> command = {"chromium",
                                      "--headless",
                                      "--no-sandbox",
                                      "--disable-gpu",
                                      "--no-first-run",
                                      "--remote-debugging-pipe",
                                      "--use-fake-device-for-media-stream",
                                      "--use-fake-ui-for-media-stream",
                                      "--user-data-dir=" + dir.path("browser")};
  std::vector<char*> argv;
  for (std::string& each : command) argv.push_back(each.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  // Aside first: an end may have the number of the other's place.
  constexpr int kAside = 100;
  posix_spawn_file_actions_adddup2(&actions, to[0], kAside);
  posix_spawn_file_actions_adddup2(&actions, from[1], kAside + 1);
  posix_spawn_file_actions_adddup2(&actions, kAside, kCommands);
  posix_spawn_file_actions_adddup2(&actions, kAside + 1, kAnswers);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // so that all of its processes can be ended
  const int error = posix_spawnp(&pid_, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(to[0]);
  close(from[1]);
  commands_ = to[1];
  answers_ = from[0];
  if (error != 0) throw std::system_error(error, std::generic_category(), "chromium");
  const json target = call("Target.createTarget", {{"url", "about:blank"}});
  session_ = call("Target.attachToTarget", {{"targetId", target.at("targetId")}, {"flatten", true}}).at("sessionId");
  for (const char* domain : {"Page", "Runtime", "Network", "Log"}) call(std::string(domain) + ".enable");
}

BrowserSession::~BrowserSession() {
  close(commands_);
  close(answers_);
  kill(-pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void BrowserSession::send(const std::string& method, const json& params, int number) {
  json message{{"id", number}, {"method", method}, {"params", params}};
  if (!session_.empty()) message["sessionId"] = session_;
  const std::string text = message.dump() + '\0';
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t count = write(commands_, text.data() + sent, text.size() - sent);
    require(count > 0, "chromium: write");
    sent += static_cast<size_t>(count);
  }
}

json BrowserSession::next_message() {
  const auto end = Clock::now() + kPatience;
  size_t searched = 0;
  for (;;) {
    const size_t zero = received_.find('\0', searched);
    if (zero != std::string::npos) {
      const json message = json::parse(received_.substr(0, zero));
      received_.erase(0, zero + 1);
      return message;
    }
    searched = received_.size();
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd stream{answers_, POLLIN, 0};
    if (left <= 0 || poll(&stream, 1, static_cast<int>(left)) == 0)
      throw std::runtime_error("chromium: no answer within a minute");
    std::array<char, 65536> buffer;
    const ssize_t count = read(answers_, buffer.data(), buffer.size());
    if (count == 0) throw std::runtime_error("chromium: has ended");
    require(count > 0 || errno == EINTR, "chromium: read");
    if (count > 0) received_.append(buffer.data(), static_cast<size_t>(count));
  }
}

void BrowserSession::note(const json& event) {
  const std::string method = event.value("method", "");
  const json params = event.value("params", json::object());
  if (method == "Network.requestWillBeSent") {
    const std::string url = params.at("request").at("url");
    if (!url.starts_with("data:") && !url.starts_with("blob:")) requests_.push_back(url);
  } else if (method == "Runtime.consoleAPICalled") {
    console_.push_back(params.at("args").dump());
  } else if (method == "Runtime.exceptionThrown") {
    console_.push_back(params.at("exceptionDetails").dump());
  } else if (method == "Log.entryAdded") {
    console_.push_back(params.at("entry").dump());
  } else if (method == "Page.loadEventFired") {
    loaded_ = true;
  } else if (method == "Fetch.requestPaused") {
    const bool known = params.at("request").at("url") == served_url_;
    send("Fetch.fulfillRequest",
         {{"requestId", params.at("requestId")},
          {"responseCode", known ? 200 : 404},
          {"responseHeaders", {{{"name", "Content-Type"}, {"value", "text/html; charset=utf-8"}}}},
          {"body", known ? base64(served_html_) : ""}},
         ++last_);
  }
}

json BrowserSession::call(const std::string& method, const json& params) {
  const int number = ++last_;
  send(method, params, number);
  for (;;) {
    const json message = next_message();
    if (message.value("id", 0) != number) {
      note(message);
      continue;
    }
    if (message.contains("error")) throw std::runtime_error(method + ": " + message.at("error").dump());
    return message.at("result");
  }
}

void BrowserSession::open(const std::string& url) {
  loaded_ = false;
  call("Page.navigate", {{"url", url}});
  while (!loaded_) note(next_message());
}

void BrowserSession::open_from_server(const std::string& url, const std::string& html) {
  served_url_ = url;
  served_html_ = html;
  call("Fetch.enable");
  open(url);
}

void BrowserSession::set_view(int width, int height, bool dark) {
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
  call("Emulation.setEmulatedMedia",
       {{"features", {{{"name", "prefers-color-scheme"}, {"value", dark ? "dark" : "light"}}}}});
}

json BrowserSession::evaluate(const std::string& expression) {
  const json result =
      call("Runtime.evaluate",
           {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}, {"userGesture", true}});
  if (result.contains("exceptionDetails"))
    throw std::runtime_error("page: " + result.at("exceptionDetails").dump() + "\nin " + expression);
  return result.at("result").value("value", json());
}

void BrowserSession::wait_until(const std::string& expression) {
  const auto end = Clock::now() + kPatience;
  while (evaluate(expression) != true) {
    if (Clock::now() > end) throw std::runtime_error("page: not within a minute: " + expression);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void BrowserSession::choose_files(const std::string& input_id, const std::vector<std::string>& paths) {
  const json found = call("Runtime.evaluate", {{"expression", "document.getElementById('" + input_id + "')"}});
  call("DOM.setFileInputFiles", {{"files", paths}, {"objectId", found.at("result").at("objectId")}});
}

void BrowserSession::drop_files(const std::vector<std::string>& paths) {
  const json data{{"items", json::array()}, {"files", paths}, {"dragOperationsMask", 1}};
  for (const char* type : {"dragEnter", "dragOver", "drop"})
    call("Input.dispatchDragEvent", {{"type", type}, {"x", 100}, {"y", 300}, {"data", data}});
}

void BrowserSession::press(const std::string& key) {
  for (const Key& known : kKeys) {
    if (key != known.name) continue;
    json event{
        {"type", "keyDown"}, {"key", key}, {"code", key == " " ? "Space" : key}, {"windowsVirtualKeyCode", known.code}};
    if (*known.text != '\0') event["text"] = known.text;
    call("Input.dispatchKeyEvent", event);
    event["type"] = "keyUp";
    event.erase("text");
    call("Input.dispatchKeyEvent", event);
    return;
  }
  throw std::runtime_error("no such key here: " + key);
}

}  // namespace dppl::testing
