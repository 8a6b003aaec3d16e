// A client of `dppl serve` that measures: rows of a file as binary tensors over some connections, for some seconds, as
// fast as answers come or at a given rate. At a rate, a request's time counts from when it was due, not from when it
// could be sent: a server that falls behind cannot hide it. One thread; prints JSON.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <chrono>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "dppl/embeddings.h"
#include "dppl/error.h"

namespace dppl {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;

struct Options {
  uint16_t port = 0;
  std::string model, rows, output = "label";
  size_t per_request = 64, connections = 16;
  double seconds = 5, rate = 0;
};

struct Results {
  uint64_t requests = 0, rows = 0, errors = 0;
  std::vector<double> milliseconds;
};

const char* datatype_of(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return "FP16";
    case DType::float64:
      return "FP64";
    case DType::int8:
      return "INT8";
    case DType::uint8:
      return "UINT8";
    default:
      return "FP32";
  }
}

class Client : public std::enable_shared_from_this<Client> {
 public:
  Client(asio::io_context& io, const Options& options, const Embeddings& rows, size_t number, Clock::time_point begin,
         Results& results)
      : options_(options),
        rows_(rows),
        results_(results),
        socket_(io),
        timer_(io),
        next_row_(number * options.per_request % (rows.rows() - options.per_request + 1)),
        end_(begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds))) {
    const size_t bytes = options.per_request * rows.row_bytes(0).size();
    const std::string json = fmt::format(
        R"({{"inputs":[{{"name":"embedding","datatype":"{}","shape":[{},{}],"parameters":{{"binary_data_size":{}}}}}],)"
        R"("outputs":[{{"name":"{}","parameters":{{"binary_data":true}}}}]}})",
        datatype_of(rows.dtype()), options.per_request, rows.dim(), bytes, options.output);
    head_ = fmt::format(
        "POST /v2/models/{}/infer HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
        "Inference-Header-Content-Length: {}\r\nContent-Length: {}\r\n\r\n{}",
        options.model, json.size(), json.size() + bytes, json);
    if (options.rate > 0) {
      const double each = static_cast<double>(options.connections * options.per_request) / options.rate;
      interval_ = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(each));
      due_ = begin + interval_ * static_cast<Clock::rep>(number) / static_cast<Clock::rep>(options.connections);
    } else {
      due_ = begin;
    }
    socket_.connect({asio::ip::address_v4::loopback(), options.port});
    socket_.set_option(tcp::no_delay(true));
  }

  void start() {
    if (std::max(due_, Clock::now()) >= end_) return;
    timer_.expires_at(due_);
    timer_.async_wait([self = shared_from_this()](auto) { self->send(); });
  }

 private:
  void send() {
    if (interval_ == Clock::duration::zero()) due_ = Clock::now();
    const size_t bytes = options_.per_request * rows_.row_bytes(0).size();
    const std::array<asio::const_buffer, 2> buffers{asio::buffer(head_),
                                                    asio::buffer(rows_.row_bytes(next_row_).data(), bytes)};
    next_row_ = (next_row_ + options_.connections * options_.per_request) % (rows_.rows() - options_.per_request + 1);
    asio::async_write(socket_, buffers, [self = shared_from_this()](auto error, size_t) {
      if (error) return self->fail();
      self->answer_.clear();
      self->missing_.reset();
      self->receive();
    });
  }

  void receive() {
    socket_.async_read_some(asio::buffer(buffer_), [self = shared_from_this()](auto error, size_t size) {
      if (error) return self->fail();
      self->on_bytes(size);
    });
  }

  void on_bytes(size_t size) {
    if (missing_) {
      *missing_ -= std::min(size, *missing_);
    } else {
      answer_.append(buffer_.data(), size);
      const size_t end = answer_.find("\r\n\r\n");
      if (end == std::string::npos) return receive();
      static constexpr std::string_view kLength = "Content-Length: ";
      size_t length = 0;
      // The inference header's length has a longer name, in which this one stands too.
      const char* text = answer_.data() + answer_.find(std::string("\r\n") + std::string(kLength)) + 2 + kLength.size();
      std::from_chars(text, answer_.data() + end, length);
      missing_ = length - std::min(length, answer_.size() - end - 4);
    }
    if (*missing_ > 0) return receive();
    finish();
  }

  void finish() {
    if (!answer_.starts_with("HTTP/1.1 200")) {
      if (results_.errors++ == 0) std::cerr << answer_ << "\n";
    } else {
      ++results_.requests;
      results_.rows += options_.per_request;
      results_.milliseconds.push_back(std::chrono::duration<double, std::milli>(Clock::now() - due_).count());
    }
    due_ += interval_;
    if (interval_ > Clock::duration::zero()) return start();
    if (Clock::now() < end_) send();
  }

  void fail() { ++results_.errors; }

  const Options& options_;
  const Embeddings& rows_;
  Results& results_;
  tcp::socket socket_;
  asio::steady_timer timer_;
  size_t next_row_;
  Clock::time_point end_, due_;
  Clock::duration interval_ = Clock::duration::zero();
  std::string head_, answer_;
  std::optional<size_t> missing_;
  std::array<char, 65536> buffer_;
};

double percentile(std::vector<double>& values, double part) {
  if (values.empty()) return 0;
  const auto place = values.begin() + static_cast<ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

void run(const Options& options) {
  const Embeddings rows = Embeddings::open(options.rows);
  if (rows.rows() < options.per_request) throw InvalidInput("the file has fewer rows than a request takes");
  asio::io_context io(1);
  Results results;
  const auto begin = Clock::now() + std::chrono::milliseconds(100);  // for the connections to be made
  for (size_t i = 0; i < options.connections; ++i) {
    std::make_shared<Client>(io, options, rows, i, begin, results)->start();
  }
  io.run_for(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds + 10)));
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  std::vector<double>& times = results.milliseconds;
  const nlohmann::ordered_json told{{"requests", results.requests},
                                    {"errors", results.errors},
                                    {"seconds", seconds},
                                    {"rows_per_second", static_cast<double>(results.rows) / seconds},
                                    {"p50_ms", percentile(times, 0.5)},
                                    {"p99_ms", percentile(times, 0.99)},
                                    {"max_ms", percentile(times, 1)}};
  std::cout << told.dump() << "\n";
}

}  // namespace
}  // namespace dppl

int main(int argc, char** argv) {
  dppl::Options options;
  CLI::App app{"Measures dppl serve"};
  app.add_option("--port", options.port)->required();
  app.add_option("--model", options.model)->required();
  app.add_option("--rows", options.rows)->required();
  app.add_option("--output", options.output);
  app.add_option("--per-request", options.per_request)->check(CLI::Range(1, 1 << 20));
  app.add_option("--connections", options.connections)->check(CLI::Range(1, 10000));
  app.add_option("--seconds", options.seconds)->check(CLI::Range(0.1, 60.0));
  app.add_option("--rate", options.rate, "Rows per second; 0: as fast as answers come");
  CLI11_PARSE(app, argc, argv);
  try {
    dppl::run(options);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
