#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

#include "serving/body_buffers.h"
#include "serving/http_server.h"

// What HttpServer is made of: what all connections share, and a connection.
namespace dppl::serving {

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

Clock::duration seconds(double value);

// What is answered to a request that is not read to its end.
struct Refusal {
  int status;
  std::string message;
};

struct HttpServer::State {
  State(const Options& opts, Metrics& m, MemoryBudget& b, Handler h);

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
  Connection(State& server, Socket socket, bool admitted);
  ~Connection() { server_.remove(*this); }

  void start();
  // For a stop, and for a new connection that needs the room: closes it unless it has begun to send a request's body.
  void close_if_waiting();

 private:
  friend struct State;
  const ServerLimits& limits() const { return server_.options.limits; }

  // ---- Reading

  void read_header();
  void on_header(const ErrorCode& error);
  void begin_body();
  // Of a body of known length: past the parser, to where it stays.
  void read_rest();
  void read_chunks();
  beast::flat_buffer& body() { return parser_->get().body(); }
  bool take_memory();
  void on_read_error(const ErrorCode& error);

  // ---- Answering

  void handle();
  // Of a request that is not read to its end: there is no way to know where the next one begins.
  void refuse(const Refusal& refusal);
  void write(HttpResponse response);
  void on_written(const ErrorCode& error);
  void discard();
  void close();

  // ---- Waiting for a header

  // False: there is a stop.
  bool begin_waiting();
  void end_waiting();

  // ---- Time: one timer, which is set anew only where it would come too late. What it interrupts finds timed_out_.

  void set_deadline(Clock::duration time);
  void clear_deadline() { deadline_.reset(); }
  void arm();

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

}  // namespace dppl::serving
