#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "dppl/error.h"
#include "serving/address.h"
#include "serving/protocol.h"

using namespace dppl;
using namespace dppl::serving;

namespace {

constexpr size_t kDim = 3, kClasses = 2;

void require(bool good) {
  if (!good) std::abort();
}

// Whatever is accepted is rows of finite values that lie in the body or in memory of their own, and its answer is JSON
// that says what the binary part holds.
void check_infer(std::span<const std::byte> body, std::optional<size_t> json_size) {
  const InferRequest request = parse_infer_request(body, nullptr, json_size, kDim);
  const size_t rows = request.rows.rows();
  require(request.rows.dim() == kDim && !request.outputs.empty());
  std::vector<float> row(kDim);
  for (size_t i = 0; i < rows; ++i) {
    request.rows.row(i, row);
    require(std::all_of(row.begin(), row.end(), [](float value) { return std::isfinite(value); }));
  }
  const HttpResponse response = write_infer_response(request, {.model = "m",
                                                               .version = "v",
                                                               .classes = ClassSet::named({"a", "b\""}),
                                                               .labels = std::vector<int32_t>(rows, 1),
                                                               .scores = std::vector<float>(rows * kClasses, 0.5f),
                                                               .probabilities = std::vector<float>(rows * kClasses)});
  const size_t text_size = response.fields.empty() ? response.body.size() : std::stoul(response.fields[0].second);
  const auto told = nlohmann::json::parse(response.body.substr(0, text_size));
  size_t binary = 0;
  for (const auto& output : told.at("outputs")) {
    if (output.contains("parameters")) binary += output["parameters"]["binary_data_size"].get<size_t>();
  }
  require(text_size + binary == response.body.size());
  require(told.contains("id") == request.id.has_value());
}

void check_address(std::string_view target) {
  const std::optional<Address> address = parse_address(target);
  if (!address) return;
  require(address->path.size() <= target.size());
  if (const auto top = query_value(address->query, "top")) require(top->size() < target.size());
}

}  // namespace

// The first two bytes are how much of the rest is JSON; 65535: that is not told.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  uint16_t told = 0;
  std::memcpy(&told, data, sizeof told);
  const auto body = std::as_bytes(std::span(data + 2, size - 2));
  try {
    check_infer(body, told == 65535 ? std::nullopt : std::optional<size_t>(told));
  } catch (const InvalidInput&) {
  }
  check_address({reinterpret_cast<const char*>(body.data()), body.size()});
  return 0;
}
