#include "support/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace dppl::testing {
namespace {

void require(bool good, const char* what) {
  if (!good) throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

HttpClient::HttpClient(uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  require(fd_ >= 0, "socket");
  const timeval patience{10, 0};
  setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    close(fd_);
    throw std::system_error(error, std::generic_category(), "connect");
  }
}

HttpClient::~HttpClient() { close(fd_); }

void HttpClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    require(sent >= 0, "send");
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

void HttpClient::finish_sending() { shutdown(fd_, SHUT_WR); }

bool HttpClient::read_more() {
  std::array<char, 65536> buffer;
  const ssize_t count = recv(fd_, buffer.data(), buffer.size(), 0);
  if (count < 0 && errno == ECONNRESET) return false;
  require(count >= 0, "recv");
  read_.append(buffer.data(), static_cast<size_t>(count));
  return count > 0;
}

bool HttpClient::is_closed() {
  while (read_more()) {
  }
  return true;
}

HttpAnswer HttpClient::receive(bool is_head) {
  size_t end = 0;
  while ((end = read_.find("\r\n\r\n")) == std::string::npos) {
    if (!read_more()) throw std::runtime_error("the server closed the connection without an answer: '" + read_ + "'");
  }
  HttpAnswer answer;
  std::istringstream lines(read_.substr(0, end));
  std::string line;
  std::getline(lines, line);
  answer.status = std::stoi(line.substr(line.find(' ') + 1));
  while (std::getline(lines, line)) {
    if (line.ends_with('\r')) line.pop_back();
    const size_t colon = line.find(": ");
    std::string name = line.substr(0, colon);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    answer.fields[name] = line.substr(colon + 2);
  }
  read_.erase(0, end + 4);
  const auto length = answer.fields.find("content-length");
  if (is_head || length == answer.fields.end()) return answer;
  const size_t size = std::stoul(length->second);
  while (read_.size() < size) {
    if (!read_more()) throw std::runtime_error("the server closed the connection in the middle of an answer");
  }
  answer.body = read_.substr(0, size);
  read_.erase(0, size);
  return answer;
}

HttpAnswer HttpClient::get(const std::string& path, const std::string& method) {
  send(method + " " + path + " HTTP/1.1\r\nHost: test\r\n\r\n");
  return receive(method == "HEAD");
}

HttpAnswer HttpClient::post(const std::string& path, std::string_view body, const std::string& fields) {
  send("POST " + path + " HTTP/1.1\r\nHost: test\r\n" + fields + "Content-Length: " + std::to_string(body.size()) +
       "\r\n\r\n");
  send(body);
  return receive();
}

}  // namespace dppl::testing
