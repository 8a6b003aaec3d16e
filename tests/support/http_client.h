#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace dppl::testing {

struct HttpAnswer {
  int status = 0;
  std::map<std::string, std::string> fields;  // names in lower case
  std::string body;
};

// One connection to a server on this machine. Says what it is told to, right or wrong. Waits for some seconds at most;
// throws std::runtime_error where nothing comes or the server has closed.
class HttpClient {
 public:
  explicit HttpClient(uint16_t port);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  void send(std::string_view bytes);
  void finish_sending();  // closes this side
  HttpAnswer receive(bool is_head = false);
  // Whether the server closes the connection, after whatever it still says.
  bool is_closed();

  HttpAnswer get(const std::string& path, const std::string& method = "GET");
  // `fields` are whole lines, each with its "\r\n".
  HttpAnswer post(const std::string& path, std::string_view body, const std::string& fields = "");

 private:
  bool read_more();  // false: the server has closed

  int fd_;
  std::string read_;
};

}  // namespace dppl::testing
