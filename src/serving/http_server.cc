#include "serving/http_server.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

namespace dppl::serving {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Tcp = asio::ip::tcp;
using Strand = asio::strand<asio::io_context::executor_type>;
using Socket = asio::basic_stream_socket<Tcp, Strand>;
using Acceptor = asio::basic_socket_acceptor<Tcp, Strand>;
using Timer =
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, Strand>;
using Clock = std::chrono::steady_clock;
using ErrorCode = boost::system::error_code;
using Parser = http::request_parser<http::basic_dynamic_body<beast::flat_buffer>>;

// A read's size while a body arrives.
constexpr size_t kReadBytes = size_t{64} << 10;
// Bodies up to this size get their memory at once, while half of what there is for requests is free, and leave it to
// the next ones.
constexpr size_t kPooledBytes = size_t{2} << 20, kPooledBuffers = 24;
// What a waiting connection keeps for its next header.
constexpr size_t kIdleBytes = size_t{4} << 10;
// How long a client may go on sending what is not read any more. Closing at once would reset the connection, and the
// client might never see why it was refused.
constexpr std::chrono::seconds kLinger{2};
// Connections beyond the limit that are told so; beyond these, connections are closed without a word.
constexpr int64_t kToldBeyondLimit = 64;
// After an accept that failed, such as for want of descriptors.
constexpr std::chrono::milliseconds kAcceptPause{50};

Clock::duration seconds(double value) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(value));
}

asio::ip::address parse_address(const std::string& text) {
  ErrorCode error;
  const asio::ip::address address = asio::ip::make_address(text, error);
  if (error) {
    throw InvalidInput(fmt::format("'{}' is no address; give numbers such as 127.0.0.1 or ::1", text));
  }
  return address;
}

// The system's usual 1,024 descriptors are fewer than the connections that are allowed.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// Memory of bodies that were answered, for the next ones: the system takes its time over pages that are new.
class BufferPool {
 public:
  beast::flat_buffer take() {
    const std::lock_guard lock(mutex_);
    if (buffers_.empty()) return {};
    beast::flat_buffer buffer = std::move(buffers_.back());
    buffers_.pop_back();
    return buffer;
  }
  void give_back(beast::flat_buffer buffer) {
    if (buffer.capacity() < kReadBytes || buffer.capacity() > kPooledBytes) return;
    buffer.clear();
    const std::lock_guard lock(mutex_);
    if (buffers_.size() < kPooledBuffers) buffers_.push_back(std::move(buffer));
  }

 private:
  std::mutex mutex_;
  std::vector<beast::flat_buffer> buffers_;
};

// What holds the bytes of a request that is being answered.
struct HeldBody {
  HeldBody(BufferPool& from, beast::flat_buffer own_bytes, MemoryBudget::Share own_share)
      : pool(from), bytes(std::move(own_bytes)), share(std::move(own_share)) {}
  ~HeldBody() { pool.give_back(std::move(bytes)); }
  HeldBody(const HeldBody&) = delete;
  HeldBody& operator=(const HeldBody&) = delete;

  BufferPool& pool;
  beast::flat_buffer bytes;
  MemoryBudget::Share share;
};

struct Refusal {
  int status;
  std::string message;
};

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

}  // namespace

struct HttpServer::State {
  State(const Options& opts, Metrics& m, MemoryBudget& b, Handler h)
      : options(opts),
        metrics(m),
        memory(b),
        handler(std::move(h)),
        io(static_cast<int>(opts.threads)),
        acceptor(asio::make_strand(io)),
        pause(acceptor.get_executor()),
        grace(acceptor.get_executor()),
        work(io.get_executor()) {
    const Tcp::endpoint endpoint(parse_address(options.address), options.port);
    try {
      acceptor.open(endpoint.protocol());
      acceptor.set_option(Acceptor::reuse_address(true));
      acceptor.bind(endpoint);
      acceptor.listen(4096);
      port = acceptor.local_endpoint().port();
    } catch (const boost::system::system_error& error) {
      throw IoError(
          fmt::format("{}, port {}: cannot listen: {}", options.address, options.port, error.code().message()));
    }
  }

  void accept();
  void admit(Socket socket);
  void stop();
  void remove(Connection& connection);
  void finish();

  const Options options;
  Metrics& metrics;
  MemoryBudget& memory;
  const Handler handler;
  uint16_t port = 0;
  BufferPool pool;

  std::mutex mutex;
  std::list<Connection*> all;      // guarded by the mutex, as are the next two
  std::list<Connection*> waiting;  // for a header, the one that waits longest first
  bool stopping = false, has_ended = false;

  // Connections refer to what stands above, and are released at the latest when this goes.
  asio::io_context io;
  Acceptor acceptor;
  Timer pause, grace;
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work;
  std::vector<std::thread> threads;
};

// All members are used on the strand of the socket, but for those that say otherwise.
class HttpServer::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(State& server, Socket socket, bool admitted)
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
  ~Connection() { server_.remove(*this); }

  void start() {
    if (admitted_) return read_header();
    refuse({503, fmt::format("all {} connections are in use; try again", limits().connections)});
  }

  // For a stop, and for a new connection that needs the room: closes it unless it has begun to send a request's body.
  void close_if_waiting() {
    asio::post(socket_.get_executor(), [self = shared_from_this()] {
      if (self->is_waiting_) self->close();
    });
  }

 private:
  friend struct State;
  const ServerLimits& limits() const { return server_.options.limits; }

  // ---- Reading

  void read_header() {
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

  void on_header(const ErrorCode& error) {
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

  void begin_body() {
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

  // Of a body of known length: past the parser, to where it stays.
  void read_rest() {
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

  void read_chunks() {
    if (!take_memory()) return;
    if (parser_->is_done()) return handle();
    http::async_read_some(socket_, buffer_, *parser_, [self = shared_from_this()](ErrorCode error, size_t) {
      if (self->timed_out_) return self->refuse({408, "the body did not arrive in time"});
      if (error) return self->on_read_error(error);
      self->read_chunks();
    });
  }

  beast::flat_buffer& body() { return parser_->get().body(); }

  bool take_memory() {
    if (share_->grow_to(body().capacity())) return true;
    refuse({503, "requests under way take all the memory that they may; try again"});
    return false;
  }

  void on_read_error(const ErrorCode& error) {
    if (std::optional<Refusal> refusal = refusal_of(error, limits())) return refuse(*refusal);
    close();
  }

  // ---- Answering

  void handle() {
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

  // Of a request that is not read to its end: there is no way to know where the next one begins.
  void refuse(const Refusal& refusal) {
    server_.metrics.count_request("refused", "", refusal.status, 0);
    keeps_alive_ = is_head_ = false;
    is_refused_ = true;
    parser_.reset();  // and the part of the body that came
    write(error_response(refusal.status, refusal.message));
  }

  void write(HttpResponse response) {
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

  void on_written(const ErrorCode& error) {
    response_ = {};
    if (error || timed_out_) return close();
    if (keeps_alive_) return read_header();
    ErrorCode ignored;
    if (!is_refused_ && buffer_.size() == 0 && socket_.available(ignored) == 0) return close();
    socket_.shutdown(Tcp::socket::shutdown_send, ignored);
    set_deadline(kLinger);
    discard();
  }

  void discard() {
    buffer_.clear();
    socket_.async_read_some(buffer_.prepare(kReadBytes), [self = shared_from_this()](ErrorCode error, size_t) {
      if (error || self->timed_out_) return self->close();
      self->discard();
    });
  }

  void close() {
    is_closed_ = true;
    ErrorCode ignored;
    socket_.close(ignored);
    timer_.cancel();
  }

  // ---- Waiting for a header

  // False: there is a stop.
  bool begin_waiting() {
    const std::lock_guard lock(server_.mutex);
    if (server_.stopping) return false;
    is_waiting_ = true;
    waiting_place_ = server_.waiting.insert(server_.waiting.end(), this);
    return true;
  }

  void end_waiting() {
    const std::lock_guard lock(server_.mutex);
    is_waiting_ = false;
    if (waiting_place_) server_.waiting.erase(*waiting_place_);
    waiting_place_.reset();
  }

  // ---- Time: one timer, which is set anew only where it would come too late. What it interrupts finds timed_out_.

  void set_deadline(Clock::duration time) {
    timed_out_ = false;
    deadline_ = Clock::now() + time;
    if (!armed_until_ || *deadline_ < *armed_until_) arm();
  }

  void clear_deadline() { deadline_.reset(); }

  void arm() {
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

  State& server_;
  Socket socket_;
  Timer timer_;
  const bool admitted_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::optional<MemoryBudget::Share> share_;
  size_t missing_ = 0;  // of a body of known length
  std::string head_;
  HttpResponse response_;
  bool is_first_ = true, is_head_ = false, keeps_alive_ = true, is_closed_ = false, timed_out_ = false;
  bool is_waiting_ = false, is_refused_ = false;
  std::optional<Clock::time_point> deadline_, armed_until_;
  std::list<Connection*>::iterator place_;                         // guarded by the server's mutex
  std::optional<std::list<Connection*>::iterator> waiting_place_;  // guarded by the server's mutex
};

void HttpServer::State::accept() {
  acceptor.async_accept(asio::make_strand(io), [this](ErrorCode error, Socket socket) {
    if (!acceptor.is_open()) return;
    if (!error) {
      admit(std::move(socket));
      return accept();
    }
    pause.expires_after(kAcceptPause);
    pause.async_wait([this](ErrorCode cancelled) {
      if (!cancelled) accept();
    });
  });
}

void HttpServer::State::admit(Socket socket) {
  const auto most = static_cast<int64_t>(options.limits.connections);
  bool admitted = metrics.connections < most;
  std::shared_ptr<Connection> dropped;  // released after the mutex, which its end takes
  if (!admitted) {
    const std::lock_guard lock(mutex);
    while (!waiting.empty() && !dropped) {
      dropped = waiting.front()->weak_from_this().lock();
      waiting.front()->waiting_place_.reset();
      waiting.pop_front();
    }
  }
  if (dropped) {
    dropped->close_if_waiting();
    ++metrics.connections_dropped;
    admitted = true;
  }
  ++(admitted ? metrics.connections_accepted : metrics.connections_refused);
  if (!admitted && metrics.connections >= most + kToldBeyondLimit) return;  // closes it
  ErrorCode ignored;
  socket.set_option(Tcp::no_delay(true), ignored);
  const Strand strand = socket.get_executor();
  asio::dispatch(
      strand, [connection = std::make_shared<Connection>(*this, std::move(socket), admitted)] { connection->start(); });
}

void HttpServer::State::remove(Connection& connection) {
  const std::lock_guard lock(mutex);
  all.erase(connection.place_);
  if (connection.waiting_place_) waiting.erase(*connection.waiting_place_);
  --metrics.connections;
  if (stopping && all.empty() && !has_ended) finish();
}

void HttpServer::State::finish() {
  asio::post(acceptor.get_executor(), [this] {
    grace.cancel();
    work.reset();
  });
}

void HttpServer::State::stop() {
  asio::post(acceptor.get_executor(), [this] {
    ErrorCode ignored;
    acceptor.close(ignored);
    pause.cancel();
    std::vector<std::shared_ptr<Connection>> open;  // released after the mutex, which their end takes
    const std::lock_guard lock(mutex);
    if (std::exchange(stopping, true)) return;
    for (Connection* connection : all) {
      if (auto alive = connection->weak_from_this().lock()) open.push_back(std::move(alive));
    }
    for (const auto& connection : open) connection->close_if_waiting();
    if (all.empty()) return finish();
    grace.expires_after(seconds(options.limits.stop_seconds));
    grace.async_wait([this](ErrorCode cancelled) {
      if (!cancelled) io.stop();
    });
  });
}

HttpServer::HttpServer(const Options& options, Metrics& metrics, MemoryBudget& memory, Handler handler)
    : state_(std::make_unique<State>(options, metrics, memory, std::move(handler))) {
  raise_descriptor_limit();
}

HttpServer::~HttpServer() {
  stop();
  wait();
}

uint16_t HttpServer::port() const { return state_->port; }

void HttpServer::start() {
  state_->accept();
  for (unsigned i = 0; i < state_->options.threads; ++i) {
    state_->threads.emplace_back([this] { state_->io.run(); });
  }
}

void HttpServer::stop() { state_->stop(); }

void HttpServer::wait() {
  for (std::thread& thread : state_->threads) thread.join();
  state_->threads.clear();
  const std::lock_guard lock(state_->mutex);
  state_->has_ended = true;
}

}  // namespace dppl::serving

namespace dppl {

bool is_loopback(const std::string& address) { return serving::parse_address(address).is_loopback(); }

}  // namespace dppl
