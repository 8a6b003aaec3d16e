#include "serving/http_server.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>

#include "serving/constants.h"
#include "serving/http_connection.h"

namespace dppl::serving {
namespace {

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

}  // namespace

HttpServer::State::State(const Options& opts, Metrics& m, MemoryBudget& b, Handler h)
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
    acceptor.listen(kBacklog);
    port = acceptor.local_endpoint().port();
  } catch (const boost::system::system_error& error) {
    throw IoError(fmt::format("{}, port {}: cannot listen: {}", options.address, options.port, error.code().message()));
  }
}

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
