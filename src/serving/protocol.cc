#include "serving/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/whole_number.h"
#include "serving/infer_json.h"

namespace dppl::serving {
namespace {

using Json = nlohmann::json;

// ---- Inputs

struct Datatype {
  const char* name;
  DType dtype;
};
constexpr Datatype kDatatypes[] = {{"FP32", DType::float32},
                                   {"FP64", DType::float64},
                                   {"FP16", DType::float16},
                                   {"UINT8", DType::uint8},
                                   {"INT8", DType::int8}};

DType parse_datatype(const std::string& name) {
  for (const Datatype& datatype : kDatatypes) {
    if (name == datatype.name) return datatype.dtype;
  }
  throw InvalidInput(fmt::format("input '{}': datatype '{}' is not known; send FP32, FP64, FP16, UINT8 or INT8", kInput,
                                 shortened(name)));
}

// Rows of a shape [rows, dim].
size_t parse_rows(const std::vector<uint64_t>& shape, size_t dim) {
  if (shape.size() != 2 || shape[1] != dim) {
    throw InvalidInput(fmt::format(
        "input '{}': the shape is [{}], the model takes [rows, {}]; embed with the encoder "
        "that the model was made with",
        kInput, fmt::join(shape.begin(), shape.begin() + std::min<ptrdiff_t>(std::ssize(shape), 8), ", "), dim));
  }
  return shape[0];
}

// Adding the lowest bit of an exponent to one that is all ones, and to no other, carries into the sign's place: three
// operations for a value, which the compiler does for several at once.
template <typename Bits>
bool all_finite(const std::byte* data, size_t count, Bits exponent) {
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  const auto lowest = static_cast<Bits>(kSign - exponent);
  Bits carried = 0;
  for (size_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, data + i * sizeof bits, sizeof bits);
    carried = static_cast<Bits>(carried | ((bits & exponent) + lowest));
  }
  return (carried & kSign) == 0;
}

// As float32, which is what they become.
bool all_finite_doubles(const std::byte* data, size_t count) {
  bool finite = true;
  for (size_t i = 0; i < count; ++i) {
    double value;
    std::memcpy(&value, data + i * sizeof value, sizeof value);
    finite &= std::isfinite(static_cast<float>(value));
  }
  return finite;
}

bool is_finite(std::span<const std::byte> row, DType dtype) {
  const size_t count = row.size() / item_size(dtype);
  switch (dtype) {
    case DType::float16:
      return all_finite<uint16_t>(row.data(), count, 0x7c00);
    case DType::float32:
      return all_finite<uint32_t>(row.data(), count, 0x7f800000);
    case DType::float64:
      return all_finite_doubles(row.data(), count);
    default:
      return true;
  }
}

Embeddings checked(Embeddings rows) {
  for (size_t i = 0; i < rows.rows(); ++i) {
    if (is_finite(rows.row_bytes(i), rows.dtype())) continue;
    throw InvalidInput(fmt::format("input '{}': row {} holds a value that is not a finite float32", kInput, i));
  }
  return rows;
}

Embeddings binary_rows(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, DType dtype, size_t rows,
                       size_t dim) {
  // By division: a shape can claim more rows than any number holds.
  const size_t row_bytes = dim * item_size(dtype);
  if (bytes.size() % row_bytes != 0 || bytes.size() / row_bytes != rows) {
    throw InvalidInput(fmt::format("input '{}': {} rows of {} values of {} take {} bytes each, and there are {} bytes",
                                   kInput, rows, dim, to_string(dtype), row_bytes, bytes.size()));
  }
  return checked(Embeddings::view({.data = bytes.data(), .rows = rows, .dim = dim, .dtype = dtype}, std::move(owner)));
}

void check_integers(const InferJson& json, DType dtype) {
  if (dtype == DType::float16) {
    throw InvalidInput(fmt::format("input '{}': FP16 is sent as binary data; JSON has no such numbers", kInput));
  }
  if (dtype != DType::uint8 && dtype != DType::int8) return;
  const float least = dtype == DType::int8 ? -128 : 0, most = dtype == DType::int8 ? 127 : 255;
  const auto outside = [&](float value) { return value < least || value > most; };
  if (!json.only_integers || std::any_of(json.data->begin(), json.data->end(), outside)) {
    throw InvalidInput(
        fmt::format("input '{}': data holds other values than integers from {} to {}", kInput, least, most));
  }
}

Embeddings json_rows(InferJson& json, DType dtype, size_t rows, size_t dim) {
  check_integers(json, dtype);
  if (json.data->size() % dim != 0 || json.data->size() / dim != rows) {
    throw InvalidInput(
        fmt::format("input '{}': data has {} values, the shape says {} × {}", kInput, json.data->size(), rows, dim));
  }
  if (json.row_lengths && (json.row_lengths->count != rows || json.row_lengths->length != dim)) {
    throw InvalidInput(fmt::format("input '{}': data has {} rows of {} values, the shape says {} × {}", kInput,
                                   json.row_lengths->count, json.row_lengths->length, rows, dim));
  }
  if (rows == 0) return Embeddings::view({.data = nullptr, .rows = 0, .dim = dim});
  return checked(Embeddings::from_memory(std::move(*json.data), dim));
}

Embeddings parse_input(InferJson& json, std::span<const std::byte> binary, std::shared_ptr<const void> owner,
                       size_t dim) {
  if (json.input_name != kInput) {
    throw InvalidInput(
        fmt::format("input '{}' is not known; the model takes '{}'", shortened(json.input_name), kInput));
  }
  const DType dtype = parse_datatype(json.datatype);
  const size_t rows = parse_rows(json.shape, dim);
  if (json.binary_size && json.data) throw InvalidInput("an input has data or binary_data_size, not both");
  if (!json.binary_size && !json.data) throw InvalidInput(fmt::format("input '{}' has no data", kInput));
  if (binary.size() != json.binary_size.value_or(0)) {
    throw InvalidInput(fmt::format("{} bytes follow the JSON, and binary_data_size says {}", binary.size(),
                                   json.binary_size.value_or(0)));
  }
  return json.data ? json_rows(json, dtype, rows, dim) : binary_rows(binary, std::move(owner), dtype, rows, dim);
}

// ---- Outputs

std::vector<RequestedOutput> all_outputs(bool binary) {
  std::vector<RequestedOutput> outputs;
  for (const Output output : kOutputs) outputs.push_back({output, binary});
  return outputs;
}

std::vector<RequestedOutput> parse_outputs(const InferJson& json) {
  if (!json.outputs) return all_outputs(json.binary_output);
  std::vector<RequestedOutput> outputs;
  for (const NamedOutput& named : *json.outputs) {
    const auto found = std::find_if(std::begin(kOutputs), std::end(kOutputs),
                                    [&](Output output) { return named.name == describe(output).name; });
    if (found == std::end(kOutputs)) {
      throw InvalidInput(fmt::format("output '{}' is not known; the model has label, class, scores and probabilities",
                                     shortened(named.name)));
    }
    const auto same = [&](const RequestedOutput& earlier) { return earlier.output == *found; };
    if (std::any_of(outputs.begin(), outputs.end(), same)) {
      throw InvalidInput(fmt::format("output '{}' is asked for twice", named.name));
    }
    outputs.push_back({*found, named.binary.value_or(json.binary_output)});
  }
  return outputs;
}

template <typename Value>
void append_bytes(std::string& out, const Value* values, size_t count) {
  out.append(reinterpret_cast<const char*>(values), count * sizeof(Value));
}

std::string binary_tensor(Output output, const InferAnswer& answer) {
  std::string bytes;
  switch (output) {
    case Output::label:
      for (const int64_t label : answer.labels) append_bytes(bytes, &label, 1);
      break;
    case Output::class_name:
      for (const int32_t label : answer.labels) {
        const std::string name = answer.classes.name(static_cast<size_t>(label));
        const auto size = static_cast<uint32_t>(name.size());
        append_bytes(bytes, &size, 1);
        bytes += name;
      }
      break;
    case Output::scores:
      append_bytes(bytes, answer.scores.data(), answer.scores.size());
      break;
    case Output::probabilities:
      append_bytes(bytes, answer.probabilities.data(), answer.probabilities.size());
      break;
  }
  return bytes;
}

template <typename Values, typename Append>
void append_list(std::string& out, const Values& values, const Append& append) {
  out += '[';
  bool first = true;
  for (const auto& value : values) {
    if (!std::exchange(first, false)) out += ',';
    append(value);
  }
  out += ']';
}

void append_data(std::string& out, Output output, const InferAnswer& answer) {
  out += R"(,"data":)";
  const auto number = [&](float value) { append_number(out, value); };
  switch (output) {
    case Output::label:
      return append_list(out, answer.labels, [&](int32_t label) { out += fmt::format_int(label).c_str(); });
    case Output::class_name:
      return append_list(out, answer.labels,
                         [&](int32_t label) { out += Json(answer.classes.name(static_cast<size_t>(label))).dump(); });
    case Output::scores:
      return append_list(out, answer.scores, number);
    case Output::probabilities:
      return append_list(out, answer.probabilities, number);
  }
}

}  // namespace

TensorType describe(Output output) {
  switch (output) {
    case Output::label:
      return {"label", "INT64", false};
    case Output::class_name:
      return {"class", "BYTES", false};
    case Output::scores:
      return {"scores", "FP32", true};
    case Output::probabilities:
      break;
  }
  return {"probabilities", "FP32", true};
}

bool InferRequest::wants(Output output) const {
  return std::any_of(outputs.begin(), outputs.end(), [&](const auto& one) { return one.output == output; });
}

std::optional<size_t> parse_json_size(const std::string& field) {
  if (field.empty()) return std::nullopt;
  if (const std::optional<uint64_t> size = whole_number(field)) return size;
  throw InvalidInput(fmt::format("Inference-Header-Content-Length: '{}' is no number", shortened(field)));
}

InferRequest parse_infer_request(std::span<const std::byte> body, std::shared_ptr<const void> owner,
                                 std::optional<size_t> json_size, size_t dim) {
  if (json_size == size_t{0}) {
    const size_t row_bytes = dim * sizeof(float);
    if (body.size() % row_bytes != 0) {
      throw InvalidInput(fmt::format("{} bytes are no rows of {} float32 values", body.size(), dim));
    }
    return {std::nullopt, binary_rows(body, std::move(owner), DType::float32, body.size() / row_bytes, dim), true,
            all_outputs(true)};
  }
  if (json_size.value_or(0) > body.size()) {
    throw InvalidInput(fmt::format("Inference-Header-Content-Length says {} bytes of JSON, and the body has {} bytes",
                                   *json_size, body.size()));
  }
  const size_t text_size = json_size.value_or(body.size());
  InferJson json = parse_infer_json({reinterpret_cast<const char*>(body.data()), text_size});
  Embeddings rows = parse_input(json, body.subspan(text_size), std::move(owner), dim);
  return {std::move(json.id), std::move(rows), json.binary_size.has_value(), parse_outputs(json)};
}

size_t answer_bytes(const InferRequest& request, size_t classes) {
  size_t each = sizeof(int32_t);
  for (const RequestedOutput& requested : request.outputs) {
    if (describe(requested.output).per_class) each += classes * sizeof(float);
  }
  // No product of numbers that memory holds is near the end of size_t: rows are there, and classes at most a million.
  return request.rows.rows() * each;
}

void append_number(std::string& out, float value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  out.append(text, end);
}

HttpResponse write_infer_response(const InferRequest& request, const InferAnswer& answer) {
  std::string json =
      fmt::format(R"({{"model_name":{},"model_version":{})", Json(answer.model).dump(), Json(answer.version).dump());
  if (request.id) json += fmt::format(R"(,"id":{})", Json(*request.id).dump());
  json += R"(,"outputs":)";
  std::string binary;
  append_list(json, request.outputs, [&](const RequestedOutput& requested) {
    const TensorType type = describe(requested.output);
    json += fmt::format(R"({{"name":"{}","datatype":"{}","shape":[{}{}])", type.name, type.datatype,
                        answer.labels.size(), type.per_class ? fmt::format(",{}", answer.classes.size()) : "");
    if (requested.binary) {
      const std::string bytes = binary_tensor(requested.output, answer);
      json += fmt::format(R"(,"parameters":{{"binary_data_size":{}}})", bytes.size());
      binary += bytes;
    } else {
      append_data(json, requested.output, answer);
    }
    json += '}';
  });
  json += '}';
  const auto is_binary = [](const RequestedOutput& requested) { return requested.binary; };
  if (std::none_of(request.outputs.begin(), request.outputs.end(), is_binary)) return {.body = std::move(json)};
  HttpResponse response{.content_type = "application/octet-stream"};
  response.fields.emplace_back("Inference-Header-Content-Length", std::to_string(json.size()));
  response.body = std::move(json) + binary;
  return response;
}

}  // namespace dppl::serving
