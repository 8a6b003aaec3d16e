#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dppl/serving.h"
#include "serving/http.h"
#include "serving/memory_budget.h"
#include "serving/metrics.h"

namespace dppl::serving {

// HTTP/1.1 on one address: connections, their limits and time-outs. A connection's requests are answered one after the
// other. Boost.Beast, because a thread for each connection, as simpler libraries have it, does not bear a thousand slow
// ones.
class HttpServer {
 public:
  struct Options {
    std::string address;
    uint16_t port = 0;
    ServerLimits limits;
    unsigned threads = 1;
  };
  // Listens. Connections wait until start(). `handler` is called from the network's threads and should not take long;
  // `metrics` and `memory` outlive this.
  HttpServer(const Options& options, Metrics& metrics, MemoryBudget& memory, Handler handler);
  // All that holds a Respond must be gone.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  uint16_t port() const;
  void start();
  // Takes no more connections, closes those that have no request under way, and lets the others end.
  void stop();
  // Until all connections have ended, or the time that they have for that.
  void wait();

 private:
  class Connection;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dppl::serving
