#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dppl/encoder.h"
#include "dppl/model.h"

// Models behind HTTP: the Open Inference Protocol (version 2), image files, metrics for Prometheus, and a page.
// docs/serving.md describes what is answered.
namespace dppl {

struct ServedFile {
  std::string name;  // in addresses: /v2/models/NAME
  std::string path;
};

// What no client, however many there are and whatever they send, can make the server exceed.
struct ServerLimits {
  size_t body_bytes = size_t{64} << 20;     // of one request
  size_t header_bytes = size_t{16} << 10;   // of one request
  size_t memory_bytes = size_t{512} << 20;  // that all requests and answers take together; more are put off (503)
  size_t connections = 2048;
  size_t pixels = size_t{1} << 26;  // of one image
  double header_seconds = 10;       // from a new connection to its first complete header
  double idle_seconds = 60;         // from an answer to the next complete header
  double request_seconds = 30;      // for a body to arrive, for an answer to be computed, for it to be taken
  double stop_seconds = 10;         // for what is under way when the server is stopped
};

struct ServerOptions {
  std::vector<ServedFile> models;
  std::shared_ptr<Encoder> encoder;  // for images; null: embeddings only
  size_t encoder_batch = 16;         // images that the encoder gets at once
  std::string page;                  // a folder that is shown at /; empty: a list of the models

  std::string address = "127.0.0.1";  // a number, IPv4 or IPv6
  uint16_t port = 0;                  // 0: any that is free
  bool allow_remote = false;          // without it, an address that other machines can reach is refused
  ServerLimits limits;
  unsigned threads = kDefaultThreads;  // that compute; the network has its own
  // How long rows wait for rows of other clients, to be classified with them in one matrix product.
  double patience_seconds = 0.001;
  std::string version;  // of the program, as told to clients

  // What whoever runs the server should know. Nothing of what clients send is told. Called from any thread.
  std::function<void(const std::string&)> note = [](const std::string&) {};
};

// Whether only programs on this machine can reach it. Throws InvalidInput where it is no address in numbers.
bool is_loopback(const std::string& address);

// Serves from its construction on. Throws InvalidInput for models, folders and addresses that cannot be used, and
// IoError for an address that another program has.
class Server {
 public:
  explicit Server(ServerOptions options);
  ~Server();  // stops

  uint16_t port() const;
  std::string url() const;  // "http://127.0.0.1:8080"

  // Reads models and page again. Requests under way are answered by what they began with. What cannot be read stays as
  // it was, and `note` tells why. Returns whether all could be read.
  bool reload();
  // Takes no more connections and lets what is under way end. Does not wait; safe from any thread.
  void stop();
  // Until it has stopped.
  void wait();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dppl
