#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dppl/error.h"

// What the routes see of HTTP.
namespace dppl::serving {

struct HttpRequest {
  std::string method, target;
  std::string content_type, content_encoding, json_size, if_none_match;  // empty: not sent
  std::span<const std::byte> body = {};
  std::shared_ptr<const void> owner = {};  // keeps the body alive

  std::string_view text() const { return {reinterpret_cast<const char*>(body.data()), body.size()}; }
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  std::shared_ptr<const std::string> file = {};  // instead of `body`
  std::vector<std::pair<std::string, std::string>> fields = {};
  std::shared_ptr<const void> owner = {};  // released once this is sent

  std::string_view content() const { return file ? std::string_view(*file) : std::string_view(body); }
};

using Respond = std::function<void(HttpResponse)>;  // once, from any thread
using Handler = std::function<void(HttpRequest, Respond)>;

// A refusal with a status of its own; all other InvalidInput is a bad request (400).
class HttpError : public Error {
 public:
  HttpError(int status, const std::string& message) : Error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

// {"error": message}
HttpResponse error_response(int status, std::string_view message);

// A client's text as it may stand in a message.
std::string shortened(const std::string& text);

}  // namespace dppl::serving
