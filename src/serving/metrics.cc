#include "serving/metrics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

namespace dppl::serving {
namespace {

// A label's value as the text format wants it.
std::string quoted(const std::string& value) {
  std::string result = "\"";
  for (const char c : value) {
    if (c == '\\' || c == '"') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + '"';
}

void describe(std::string& out, const char* name, const char* type, const char* help) {
  out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

template <typename Value>
void single(std::string& out, const char* name, const char* type, const char* help, Value value) {
  describe(out, name, type, help);
  out += fmt::format("{} {}\n", name, value);
}

size_t resident_bytes() {
  size_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

template <size_t Bounds>
void Histogram<Bounds>::write(std::string& out, const std::string& name, const std::string& label) const {
  const std::string labels = label.empty() ? "" : fmt::format("{},", label);
  const std::string own = label.empty() ? "" : fmt::format("{{{}}}", label);
  uint64_t total = 0;
  for (size_t i = 0; i < Bounds; ++i) {
    total += counts_[i];
    out += fmt::format("{}_bucket{{{}le=\"{}\"}} {}\n", name, labels, bounds_[i], total);
  }
  total += counts_[Bounds];
  out += fmt::format("{}_bucket{{{}le=\"+Inf\"}} {}\n{}_sum{} {}\n{}_count{} {}\n", name, labels, total, name, own,
                     sum_, name, own, total);
}

Metrics::Metrics() : started_(std::chrono::system_clock::now()) {}

void Metrics::count_request(const std::string& endpoint, const std::string& model, int status, double seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[{endpoint, model, status}];
  seconds_.try_emplace(endpoint, kSeconds).first->second.observe(seconds);
}

void Metrics::count_batch(const std::string& model, size_t rows, double seconds) {
  const std::lock_guard lock(mutex_);
  rows_[model] += rows;
  batches_.observe(static_cast<double>(rows));
  busy_seconds_ += seconds;
}

void Metrics::count_reload(bool good) {
  const std::lock_guard lock(mutex_);
  ++(good ? reloads_ : failed_reloads_);
}

std::string Metrics::text(const std::map<std::string, std::string>& models, size_t memory_bytes) const {
  const std::lock_guard lock(mutex_);
  std::string out;
  describe(out, "dppl_requests_total", "counter", "Requests that were answered.");
  for (const auto& [key, count] : requests_) {
    const auto& [endpoint, model, status] = key;
    out += fmt::format("dppl_requests_total{{endpoint={},model={},code=\"{}\"}} {}\n", quoted(endpoint), quoted(model),
                       status, count);
  }
  describe(out, "dppl_request_seconds", "histogram", "From a complete request to its answer.");
  for (const auto& [endpoint, histogram] : seconds_) {
    histogram.write(out, "dppl_request_seconds", fmt::format("endpoint={}", quoted(endpoint)));
  }
  describe(out, "dppl_rows_total", "counter", "Rows that were classified.");
  for (const auto& [model, count] : rows_) out += fmt::format("dppl_rows_total{{model={}}} {}\n", quoted(model), count);
  describe(out, "dppl_batch_rows", "histogram", "Rows that were classified together.");
  batches_.write(out, "dppl_batch_rows", "");
  single(out, "dppl_classify_seconds_total", "counter", "Time that threads spent on classification.", busy_seconds_);
  single(out, "dppl_connections", "gauge", "Connections that are open.", connections.load());
  single(out, "dppl_requests_under_way", "gauge", "Complete requests that have no answer yet.", requests.load());
  single(out, "dppl_connections_accepted_total", "counter", "Connections that were taken.",
         connections_accepted.load());
  single(out, "dppl_connections_refused_total", "counter", "Connections that were one too many.",
         connections_refused.load());
  single(out, "dppl_connections_dropped_total", "counter", "Idle connections that made room for new ones.",
         connections_dropped.load());
  single(out, "dppl_request_memory_bytes", "gauge", "What requests and answers under way hold.", memory_bytes);
  single(out, "dppl_reloads_total", "counter", "Reloads in which everything could be read.", reloads_);
  single(out, "dppl_reload_failures_total", "counter", "Reloads in which something stayed as it was.", failed_reloads_);
  describe(out, "dppl_model_info", "gauge", "The models that are served.");
  for (const auto& [name, version] : models) {
    out += fmt::format("dppl_model_info{{model={},version={}}} 1\n", quoted(name), quoted(version));
  }
  single(out, "process_resident_memory_bytes", "gauge", "Resident memory size in bytes.", resident_bytes());
  single(out, "process_start_time_seconds", "gauge", "Start time of the process since unix epoch in seconds.",
         std::chrono::duration_cast<std::chrono::seconds>(started_.time_since_epoch()).count());
  return out;
}

}  // namespace dppl::serving
