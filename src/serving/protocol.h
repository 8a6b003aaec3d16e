#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dppl/embeddings.h"
#include "serving/http.h"

// The Open Inference Protocol, version 2, with its extension for binary tensors: bytes to rows, and answers to bytes.
namespace dppl::serving {

// Tensors of every model. The outputs stand in the order in which they are told.
inline constexpr const char* kInput = "embedding";
enum class Output : uint8_t { label, class_name, scores, probabilities };
inline constexpr Output kOutputs[] = {Output::label, Output::class_name, Output::scores, Output::probabilities};
struct TensorType {
  const char *name, *datatype;
  bool per_class;  // rows × classes values, not one per row
};
TensorType describe(Output output);

struct RequestedOutput {
  Output output;
  bool binary = false;
};

struct InferRequest {
  std::optional<std::string> id;
  Embeddings rows;
  bool rows_in_body;  // they came in binary and stay where they are
  std::vector<RequestedOutput> outputs;

  bool wants(Output output) const;
  bool wants_scores() const { return wants(Output::scores) || wants(Output::probabilities); }
};

// The body of an inference request for rows of `dim` values. `json_size` is the field Inference-Header-Content-Length:
// how many bytes of the body are JSON; 0: none, and the body is the rows as float32. `owner` keeps the body alive.
// Throws InvalidInput for everything else than finite rows.
InferRequest parse_infer_request(std::span<const std::byte> body, std::shared_ptr<const void> owner,
                                 std::optional<size_t> json_size, size_t dim);
// The same field as text; empty where it is not there. Throws InvalidInput where it is no number.
std::optional<size_t> parse_json_size(const std::string& field);

// What was found for a request's rows. What was not asked for may be empty.
struct InferAnswer {
  std::string model, version;
  ClassSet classes;
  std::vector<int32_t> labels;
  std::vector<float> scores, probabilities;  // rows × classes
};
HttpResponse write_infer_response(const InferRequest& request, const InferAnswer& answer);

// The largest share of an answer that its tensors take: rows × (what was asked for).
size_t answer_bytes(const InferRequest& request, size_t classes);

// Appends a number as JSON has it; null where it is not finite.
void append_number(std::string& out, float value);

}  // namespace dppl::serving
