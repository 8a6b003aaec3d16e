#include <fmt/format.h>

#include <algorithm>

#include "dppl/error.h"
#include "dppl/serving.h"
#include "serving/http_server.h"
#include "serving/service.h"

namespace dppl {

using namespace serving;

namespace {

// Of the network: one moves more than a gigabyte per second, so that few are enough for those that compute.
unsigned network_threads(unsigned computing) { return std::clamp(computing / 4, 1u, 8u); }

ServerOptions checked(ServerOptions options) {
  if (!options.allow_remote && !is_loopback(options.address)) {
    throw InvalidInput(
        fmt::format("{}: other machines can reach this address, and the server asks nobody who they are; "
                    "put a proxy in front of 127.0.0.1, or allow remote clients",
                    options.address));
  }
  return options;
}

}  // namespace

struct Server::State {
  explicit State(ServerOptions given)
      : options(checked(std::move(given))),
        memory(options.limits.memory_bytes),
        http({options.address, options.port, options.limits, network_threads(options.threads)}, metrics, memory,
             [this](HttpRequest request, Respond respond) { service.handle(std::move(request), std::move(respond)); }),
        service(options, metrics, memory) {
    http.start();
  }
  // The service answers what is under way until the network has ended.
  ~State() {
    http.stop();
    http.wait();
  }

  const ServerOptions options;
  Metrics metrics;
  MemoryBudget memory;
  HttpServer http;
  Service service;
};

Server::Server(ServerOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Server::~Server() = default;

uint16_t Server::port() const { return state_->http.port(); }
std::string Server::url() const {
  const std::string& address = state_->options.address;
  const bool is_v6 = address.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}", is_v6 ? "[" : "", address, is_v6 ? "]" : "", port());
}
bool Server::reload() { return state_->service.reload(); }
void Server::stop() { state_->http.stop(); }
void Server::wait() { state_->http.wait(); }

}  // namespace dppl
