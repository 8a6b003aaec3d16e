#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace dppl::testing {

// A tensor as ONNX Runtime takes and gives it.
struct RuntimeTensor {
  using Values = std::variant<std::vector<float>, std::vector<uint8_t>, std::vector<int64_t>>;
  std::vector<int64_t> shape;
  Values values;

  const std::vector<float>& floats() const { return std::get<std::vector<float>>(values); }
  const std::vector<int64_t>& integers() const { return std::get<std::vector<int64_t>>(values); }
};

// Runs a model in ONNX's format on one input, for these outputs. Tests that call it begin with
// DPPL_NEEDS_ONNX_RUNTIME(). Throws std::runtime_error with ONNX Runtime's own words.
class OnnxRun {
 public:
  explicit OnnxRun(const std::string& path);
  ~OnnxRun();
  std::vector<RuntimeTensor> operator()(const std::string& input, const RuntimeTensor& value,
                                        const std::vector<std::string>& outputs) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dppl::testing
