#include "dppl/serving.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "cli/command.h"
#include "cli/encoder_options.h"
#include "cli/paths.h"
#include "dppl/embed.h"
#include "dppl/error.h"

namespace dppl::cli {
namespace {

constexpr double kMegabyte = 1 << 20;

struct Options {
  std::vector<std::string> models;
  std::string encoder, listen = "127.0.0.1:8080";
  EncoderOptions encoding;
  ServerOptions server;
  double max_body = static_cast<double>(ServerLimits{}.body_bytes) / kMegabyte;
  double max_memory = static_cast<double>(ServerLimits{}.memory_bytes) / kMegabyte;
  double max_pixels = static_cast<double>(ServerLimits{}.pixels) / 1e6;
  double patience = 1;
  bool json = false;
};

// HOST:PORT, with an IPv6 address in brackets.
void parse_listen(const std::string& text, ServerOptions& server) {
  const size_t colon = text.rfind(':');
  const std::string host = text.substr(0, colon), port = colon == std::string::npos ? "" : text.substr(colon + 1);
  const bool in_brackets = host.starts_with('[') && host.ends_with(']');
  const auto number = whole_number(port);
  if (!number || *number > UINT16_MAX || (!in_brackets && host.find(':') != std::string::npos)) {
    throw CLI::ValidationError("--listen",
                               fmt::format("'{}' is not ADDRESS:PORT, e.g. 127.0.0.1:8080 or [::1]:8080", text));
  }
  server.port = static_cast<uint16_t>(*number);
  server.address = in_brackets ? host.substr(1, host.size() - 2) : host == "localhost" ? "127.0.0.1" : host;
  if (!server.allow_remote && !is_loopback(server.address)) {
    throw InvalidInput(fmt::format(
        "--listen {}: other machines can reach this address, and the server asks nobody who they are; put a "
        "proxy in front of 127.0.0.1 (docs/serving.md), or give --allow-remote",
        text));
  }
}

size_t bytes(double megabytes) { return static_cast<size_t>(megabytes * kMegabyte); }

ServerOptions make_server_options(Options& options) {
  ServerOptions& server = options.server;
  parse_listen(options.listen, server);
  for (const std::string& argument : options.models) {
    const auto [name, path] = split_name(argument);
    server.models.push_back({name.empty() ? std::filesystem::path(path).stem().string() : name, path});
  }
  server.limits.body_bytes = bytes(options.max_body);
  server.limits.memory_bytes = bytes(options.max_memory);
  server.limits.pixels = static_cast<size_t>(options.max_pixels * 1e6);
  server.patience_seconds = options.patience / 1e3;
  server.version = DPPL_VERSION;
  server.note = [](const std::string& what) { std::cerr << "dppl: " + what + "\n" << std::flush; };
  if (!options.encoder.empty()) {
    options.encoding.threads = server.threads;
    server.encoder_batch = options.encoding.batch;
    server.encoder = open_encoder(options.encoder, options.encoding);
    if (!server.encoder->note().empty()) server.note(server.encoder->note());
  }
  return server;
}

void print(const Options& options, const Server& server, const ServerOptions& used) {
  if (options.json) {
    nlohmann::ordered_json names = nlohmann::ordered_json::array();
    for (const ServedFile& file : used.models) names.push_back(file.name);
    return print_json({{"url", server.url()}, {"port", server.port()}, {"models", names}});
  }
  std::cout << fmt::format("listening on {}\n", server.url());
  for (const ServedFile& file : used.models) std::cout << fmt::format("{}/v2/models/{}\n", server.url(), file.name);
  std::cout << std::flush;
}

// Signals are taken by this thread alone, one after the other.
class Signals {
 public:
  Signals() {
    sigemptyset(&set_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set_, number);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  int next() const {
    int number = 0;
    sigwait(&set_, &number);
    return number;
  }
  // A second request to end is not kept waiting.
  void let_end() const {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int number : {SIGINT, SIGTERM}) {
      signal(number, SIG_DFL);
      sigaddset(&ending, number);
    }
    pthread_sigmask(SIG_UNBLOCK, &ending, nullptr);
  }

 private:
  sigset_t set_{};
};

void run(Options& options) {
  const Signals signals;
  const ServerOptions used = make_server_options(options);
  Server server(used);
  print(options, server, used);
  while (signals.next() == SIGHUP) {
    std::cerr << (server.reload() ? "dppl: reloaded\n" : "dppl: not everything could be reloaded\n") << std::flush;
  }
  std::cerr << "dppl: stopping; requests under way are answered\n" << std::flush;
  signals.let_end();
  server.stop();
  server.wait();
}

void add_limits(CLI::App& command, Options& options) {
  ServerLimits& limits = options.server.limits;
  const AdvancedGroup group(command, "Limits");
  const auto number = [&](const char* name, auto& value, const char* meaning, double least, double most) {
    return group.add_option(name, value, meaning)->check(CLI::Range(least, most))->capture_default_str();
  };
  number("--max-body", options.max_body, "Of one request, in megabytes; larger ones are refused", 0.001, 4095)
      ->type_name("MB");
  number("--max-memory", options.max_memory,
         "Of all requests and answers in progress, in megabytes; more are refused for now, with status 503", 1, 1 << 20)
      ->type_name("MB");
  number("--max-connections", limits.connections,
         "Connections at a time; a new one takes the place of the one that has been idle for longest", 1, 1 << 20);
  number("--max-pixels", options.max_pixels, "Of one image, in millions", 0.001, 250)->type_name("MILLIONS");
  number("--timeout", limits.request_seconds,
         "Seconds for a body to arrive, for an answer to be computed, and for it to be taken", 0.01, 3600)
      ->type_name("S");
  number("--header-timeout", limits.header_seconds, "Seconds for the first header of a connection", 0.01, 3600)
      ->type_name("S");
  number("--idle-timeout", limits.idle_seconds, "Seconds from an answer to the next header", 0.01, 86400)
      ->type_name("S");
  number("--stop-timeout", limits.stop_seconds, "Seconds for requests under way at a stop", 0.01, 3600)->type_name("S");
}

}  // namespace

void add_serve(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "serve", "Answer over HTTP with models: the Open Inference Protocol, version 2",
                  "  dppl serve scans.dppl --encoder builtin:hog --listen 127.0.0.1:8080\n"
                  "  curl http://127.0.0.1:8080/v2/models/scans/classify --data-binary @image.jpg\n"
                  "  curl http://127.0.0.1:8080/v2/models/scans/infer -d '{\"inputs\": [{\"name\": \"embedding\",\n"
                  "       \"datatype\": \"FP32\", \"shape\": [1, 817], \"data\": [0.1, ...]}]}'\n"
                  "Outputs are label, class, scores and probabilities, the same as those of 'dppl predict'. With\n"
                  "'kill -HUP' the files are read again while requests go on; a file that cannot be used is named,\n"
                  "and the model that was there stays. 'kill -TERM' (or Ctrl-C) answers what is under way and ends.\n"
                  "/metrics is for Prometheus. There is no log of requests, and what clients send is never written.\n"
                  "Whoever reaches the address may ask: it has neither passwords nor TLS. docs/serving.md shows a\n"
                  "proxy that has both.");
  command->add_option("models", options->models, "The models; NAME=MODEL.dppl names one, otherwise its file does")
      ->required()
      ->type_name("MODEL.dppl");
  command
      ->add_option("--encoder", options->encoder,
                   "For images: the encoder that the models were made with, built-in or a model (.onnx)")
      ->type_name("NAME|model.onnx");
  command->add_option("--listen", options->listen, "The address; port 0 takes any that is free, and says which")
      ->option_text("ADDRESS:PORT")
      ->capture_default_str();
  command->add_option("--page", options->server.page, "A folder to show at /, as 'dppl export --page' writes it")
      ->type_name("DIR");
  command->add_flag("--allow-remote", options->server.allow_remote, "Also listen where other machines can connect");
  add_image_size(*command, options->encoding);
  command->add_flag("--json", options->json, "One JSON object on standard output: the address and the models");
  add_limits(*command, *options);
  add_onnx_options(*command, options->encoding);
  const AdvancedGroup other(*command, kOtherOptions);
  other
      .add_option("--patience", options->patience,
                  "Milliseconds that rows wait for rows of other clients, to be classified together")
      ->check(CLI::Range(0.0, 1000.0))
      ->type_name("MS")
      ->capture_default_str();
  other.add_option("--batch", options->encoding.batch, "Images that are encoded together")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  add_threads(*command, options->server.threads, "Threads that compute");
  command->callback([options] { run(*options); });
}

}  // namespace dppl::cli
