#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dppl::serving {

struct NamedOutput {
  std::string name;
  std::optional<bool> binary;
};
struct RowLengths {
  size_t count = 0, length = 0;
};

// The JSON of an inference request as it stands there: nothing is checked against a model.
struct InferJson {
  std::optional<std::string> id;
  bool binary_output = false;  // where an output does not say
  std::string input_name, datatype;
  std::vector<uint64_t> shape;
  std::optional<uint64_t> binary_size;
  std::optional<std::vector<float>> data;  // rounded to float32
  bool only_integers = true;               // in `data`
  std::optional<RowLengths> row_lengths;   // where `data` is a list of rows, not of values
  std::optional<std::vector<NamedOutput>> outputs;
};

// Takes memory for the values of `data` and for little else, whatever the text says. Throws InvalidInput.
InferJson parse_infer_json(std::string_view text);

}  // namespace dppl::serving
