#include "serving/http_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include "serving/constants.h"

namespace dppl::serving {
namespace {

// Why a request could not be read; empty where there is nobody left to tell.
std::optional<Refusal> refusal_of(const ErrorCode& error, const ServerLimits& limits) {
  if (error == http::error::end_of_stream || error == http::error::partial_message ||
      error.category() != make_error_code(http::error::bad_method).category()) {
    return std::nullopt;
  }
  if (error == http::error::body_limit) {
    return Refusal{413, fmt::format("the body is larger than the {} bytes that are taken; send fewer rows at a time",
                                    limits.body_bytes)};
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return Refusal{431, fmt::format("a header is larger than the {} bytes that are taken", limits.header_bytes)};
  }
  if (error == http::error::bad_version) return Refusal{505, "only HTTP/1.0 and HTTP/1.1 are spoken here"};
  return Refusal{400, fmt::format("this is no HTTP request: {}", error.message())};
}

std::string reason_of(int status) {
  if (status == 413) return "Content Too Large";  // Boost has the phrase of an older standard
  return std::string(http::obsolete_reason(http::int_to_status(static_cast<unsigned>(status))));
}

}  // namespace

Clock::duration seconds(double value) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(value));
}

HttpServer::Connection::Connection(State& server, Socket socket, bool admitted)
    : server_(server),
      socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      admitted_(admitted),
      // A chunk has a header too, which the parser does not limit.
      buffer_(limits().header_bytes + kReadBytes) {
  const std::lock_guard lock(server_.mutex);
  place_ = server_.all.insert(server_.all.end(), this);
  ++server_.metrics.connections;
}

void HttpServer::Connection::start() {
  if (admitted_) return read_header();
  refuse({503, fmt::format("all {} connections are in use; try again", limits().connections)});
}

void HttpServer::Connection::close_if_waiting() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    if (self->is_waiting_) self->close();
  });
}

void HttpServer::Connection::read_header() {
  if (buffer_.size() == 0 && buffer_.capacity() > kIdleBytes) buffer_.shrink_to_fit();
  parser_.emplace();
  parser_->header_limit(static_cast<uint32_t>(limits().header_bytes));
  parser_->body_limit(limits().body_bytes);
  if (!begin_waiting()) return close();
  set_deadline(seconds(is_first_ ? limits().header_seconds : limits().idle_seconds));
  http::async_read_header(socket_, buffer_, *parser_, [self = shared_from_this()](ErrorCode error, size_t) {
    self->end_waiting();
    self->on_header(error);
  });
}

void HttpServer::Connection::on_header(const ErrorCode& error) {
  if (timed_out_) {
    if (!parser_->got_some()) return close();
    return refuse({408, "the header did not arrive in time"});
  }
  if (error) return on_read_error(error);
  const auto& header = parser_->get();
  // Whoever overlooks a coding takes the body for the next request.
  if (header.count(http::field::transfer_encoding) > 0 && !parser_->chunked()) {
    return refuse({501, "chunked is the only transfer coding that is understood"});
  }
  set_deadline(seconds(limits().request_seconds));
  share_.emplace(server_.memory);
  const auto expected = header[http::field::expect];
  if (expected.empty()) return begin_body();
  if (!beast::iequals(expected, "100-continue")) return refuse({417, "only 100-continue can be expected"});
  if (header.version() < 11 || parser_->is_done()) return begin_body();
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(socket_, asio::buffer(kContinue.data(), kContinue.size()),
                    [self = shared_from_this()](ErrorCode failure, size_t) {
                      if (failure) return self->close();
                      self->begin_body();
                    });
}

void HttpServer::Connection::begin_body() {
  if (parser_->is_done()) return handle();
  const auto length = parser_->content_length();
  if (length.value_or(kReadBytes) >= kReadBytes) body() = server_.pool.take();
  if (!length) {
    buffer_.reserve(kReadBytes);
    return read_chunks();
  }
  missing_ = static_cast<size_t>(*length);
  const size_t here = std::min(missing_, buffer_.size());
  body().reserve(here);
  body().commit(asio::buffer_copy(body().prepare(here), buffer_.data(), here));
  buffer_.consume(here);
  missing_ -= here;
  read_rest();
}

void HttpServer::Connection::read_rest() {
  if (!take_memory()) return;
  if (missing_ == 0) return handle();
  const size_t size = body().size(), whole = size + missing_;
  if (size == body().capacity()) {
    // A client may announce what it never sends: other memory is taken as the bytes come.
    const bool at_once = whole <= kPooledBytes && server_.memory.used() <= server_.memory.most() / 2;
    body().reserve(at_once ? whole : std::min(whole, std::max(2 * size, kReadBytes)));
    if (!take_memory()) return;
  }
  const auto space = body().prepare(std::min(missing_, body().capacity() - size));
  socket_.async_read_some(space, [self = shared_from_this()](ErrorCode error, size_t count) {
    if (self->timed_out_) return self->refuse({408, "the body did not arrive in time"});
    if (error) return self->close();
    self->body().commit(count);
    self->missing_ -= count;
    self->read_rest();
  });
}

void HttpServer::Connection::read_chunks() {
  if (!take_memory()) return;
  if (parser_->is_done()) return handle();
  http::async_read_some(socket_, buffer_, *parser_, [self = shared_from_this()](ErrorCode error, size_t) {
    if (self->timed_out_) return self->refuse({408, "the body did not arrive in time"});
    if (error) return self->on_read_error(error);
    self->read_chunks();
  });
}

bool HttpServer::Connection::take_memory() {
  if (share_->grow_to(body().capacity())) return true;
  refuse({503, "requests under way take all the memory that they may; try again"});
  return false;
}

void HttpServer::Connection::on_read_error(const ErrorCode& error) {
  if (std::optional<Refusal> refusal = refusal_of(error, limits())) return refuse(*refusal);
  close();
}

void HttpServer::Connection::handle() {
  clear_deadline();
  const auto& message = parser_->get();
  const auto text = [](auto view) { return std::string(view.data(), view.size()); };
  HttpRequest request{.method = text(message.method_string()),
                      .target = text(message.target()),
                      .content_type = text(message[http::field::content_type]),
                      .content_encoding = text(message[http::field::content_encoding]),
                      .json_size = text(message["Inference-Header-Content-Length"]),
                      .if_none_match = text(message[http::field::if_none_match])};
  is_head_ = message.method() == http::verb::head;
  keeps_alive_ = parser_->keep_alive();
  is_first_ = false;
  const auto held = std::make_shared<const HeldBody>(server_.pool, std::move(body()), std::move(*share_));
  request.body = {static_cast<const std::byte*>(held->bytes.data().data()), held->bytes.size()};
  request.owner = held;
  share_.reset();
  ++server_.metrics.requests;
  server_.handler(std::move(request), [self = shared_from_this()](HttpResponse response) {
    --self->server_.metrics.requests;
    asio::dispatch(self->socket_.get_executor(),
                   [self, response = std::move(response)]() mutable { self->write(std::move(response)); });
  });
}

void HttpServer::Connection::refuse(const Refusal& refusal) {
  server_.metrics.count_request("refused", "", refusal.status, 0);
  keeps_alive_ = is_head_ = false;
  is_refused_ = true;
  parser_.reset();  // and the part of the body that came
  write(error_response(refusal.status, refusal.message));
}

void HttpServer::Connection::write(HttpResponse response) {
  share_.reset();
  response_ = std::move(response);
  {
    const std::lock_guard lock(server_.mutex);
    keeps_alive_ = keeps_alive_ && !server_.stopping;
  }
  head_ = fmt::format("HTTP/1.1 {} {}\r\nServer: dppl\r\nConnection: {}\r\nX-Content-Type-Options: nosniff\r\n",
                      response_.status, reason_of(response_.status), keeps_alive_ ? "keep-alive" : "close");
  for (const auto& [name, value] : response_.fields) head_ += fmt::format("{}: {}\r\n", name, value);
  const std::string_view content = response_.content();
  if (response_.status != 304) {
    head_ += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", response_.content_type, content.size());
  }
  head_ += "\r\n";
  const bool has_body = !is_head_ && response_.status != 304;
  const std::array<asio::const_buffer, 2> buffers{asio::buffer(head_),
                                                  asio::buffer(content.data(), has_body ? content.size() : 0)};
  timed_out_ = false;
  set_deadline(seconds(limits().request_seconds));
  asio::async_write(socket_, buffers,
                    [self = shared_from_this()](ErrorCode error, size_t) { self->on_written(error); });
}

void HttpServer::Connection::on_written(const ErrorCode& error) {
  response_ = {};
  if (error || timed_out_) return close();
  if (keeps_alive_) return read_header();
  ErrorCode ignored;
  if (!is_refused_ && buffer_.size() == 0 && socket_.available(ignored) == 0) return close();
  socket_.shutdown(Tcp::socket::shutdown_send, ignored);
  set_deadline(kLinger);
  discard();
}

void HttpServer::Connection::discard() {
  buffer_.clear();
  socket_.async_read_some(buffer_.prepare(kReadBytes), [self = shared_from_this()](ErrorCode error, size_t) {
    if (error || self->timed_out_) return self->close();
    self->discard();
  });
}

void HttpServer::Connection::close() {
  is_closed_ = true;
  ErrorCode ignored;
  socket_.close(ignored);
  timer_.cancel();
}

bool HttpServer::Connection::begin_waiting() {
  const std::lock_guard lock(server_.mutex);
  if (server_.stopping) return false;
  is_waiting_ = true;
  waiting_place_ = server_.waiting.insert(server_.waiting.end(), this);
  return true;
}

void HttpServer::Connection::end_waiting() {
  const std::lock_guard lock(server_.mutex);
  is_waiting_ = false;
  if (waiting_place_) server_.waiting.erase(*waiting_place_);
  waiting_place_.reset();
}

void HttpServer::Connection::set_deadline(Clock::duration time) {
  timed_out_ = false;
  deadline_ = Clock::now() + time;
  if (!armed_until_ || *deadline_ < *armed_until_) arm();
}

void HttpServer::Connection::arm() {
  armed_until_ = *deadline_;
  timer_.expires_at(*deadline_);
  timer_.async_wait([self = shared_from_this()](ErrorCode error) {
    if (error || self->is_closed_) return;  // set anew, or closed
    self->armed_until_.reset();
    if (!self->deadline_) return;
    if (Clock::now() < *self->deadline_) return self->arm();
    self->timed_out_ = true;
    self->deadline_.reset();
    ErrorCode ignored;
    self->socket_.cancel(ignored);
  });
}

}  // namespace dppl::serving
