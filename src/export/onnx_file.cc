#include "export/onnx_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "dppl/error.h"
#include "encoders/onnx_encoder.h"
#include "export/constants.h"
#include "export/onnx_graph.h"
#include "export/protobuf.h"

namespace dppl::onnx {
namespace {

using protobuf::Field;
using protobuf::Fields;

// A tensor's dimensions: −1 for any extent.
std::vector<int64_t> read_shape(std::string_view bytes, std::string_view name) {
  std::vector<int64_t> shape;
  Fields dimensions(bytes, name);
  while (const auto dimension = dimensions.next()) {
    if (dimension->number != 1) continue;
    int64_t extent = -1;
    Fields parts(dimension->text, name);
    while (const auto part = parts.next()) {
      if (part->number == 1 && part->wire == protobuf::Wire::varint) extent = static_cast<int64_t>(part->value);
    }
    shape.push_back(extent > 0 ? extent : -1);
  }
  return shape;
}

OnnxTensor read_tensor(std::string_view bytes, std::string_view name) {
  OnnxTensor tensor;
  const auto each = [&](std::string_view message, unsigned number, const auto& take) {
    Fields fields(message, name);
    while (const auto field = fields.next()) {
      if (field->number == number) take(*field);
    }
  };
  each(bytes, 1, [&](const Field& field) { tensor.name = field.text; });
  each(bytes, 2, [&](const Field& type) {
    each(type.text, 1, [&](const Field& of_tensor) {
      each(of_tensor.text, 1, [&](const Field& field) { tensor.type = static_cast<ort::ElementType>(field.value); });
      each(of_tensor.text, 2, [&](const Field& field) { tensor.shape = read_shape(field.text, name); });
    });
  });
  return tensor;
}

// Reads what Outline holds, and no more: most of a file is weights, which are skipped.
class OutlineReader {
 public:
  explicit OutlineReader(std::string_view name) : name_(name) {}

  Outline read(std::string_view bytes) {
    each(bytes, [&](const Field& field) {
      if (field.number == model_field::kGraph) read_graph(field.text);
      if (field.number == model_field::kOpset) read_opset(field.text);
      if (field.number == model_field::kMetadata) read_metadata(field.text);
    });
    if (outline_.opset == 0) fail("says no version of ONNX's operators; is it an ONNX model?");
    if (outline_.opset < kOldestOpset) {
      fail(fmt::format("uses version {} of ONNX's operators; export it again with {} or later (17 is usual)",
                       outline_.opset, kOldestOpset));
    }
    std::erase_if(outline_.inputs, [&](const OnnxTensor& input) { return weights_.contains(input.name); });
    return std::move(outline_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InvalidInput(fmt::format("{}: {}", name_, what)); }

  template <typename Take>
  void each(std::string_view message, const Take& take) const {
    Fields fields(message, name_);
    while (const auto field = fields.next()) take(*field);
  }

  void read_graph(std::string_view bytes) {
    each(bytes, [&](const Field& field) {
      if (field.number == graph_field::kInput) outline_.inputs.push_back(read_tensor(field.text, name_));
      if (field.number == graph_field::kOutput) outline_.outputs.push_back(read_tensor(field.text, name_));
      if (field.number == graph_field::kInitialiser) {
        each(field.text, [&](const Field& part) {
          if (part.number == tensor_field::kName) weights_.emplace(part.text);
        });
      }
    });
    find_files_of_graph(bytes, 0);
  }

  void find_files_of_graph(std::string_view bytes, int depth) {
    if (depth > kDeepest) fail("has loops in loops beyond measure");
    each(bytes, [&](const Field& field) {
      if (field.number == graph_field::kInitialiser) find_files_of_tensor(field.text);
      if (field.number == graph_field::kSparse) {
        each(field.text, [&](const Field& part) {
          if (part.wire == protobuf::Wire::text) find_files_of_tensor(part.text);
        });
      }
      if (field.number != graph_field::kNode) return;
      each(field.text, [&](const Field& part) {
        if (part.number == node_field::kAttribute) find_files_of_attribute(part.text, depth);
      });
    });
  }

  void find_files_of_attribute(std::string_view bytes, int depth) {
    using namespace attribute_field;
    each(bytes, [&](const Field& field) {
      if (field.number == kTensor || field.number == kTensors) find_files_of_tensor(field.text);
      if (field.number == kGraph || field.number == kGraphs) find_files_of_graph(field.text, depth + 1);
    });
  }

  void find_files_of_tensor(std::string_view bytes) {
    each(bytes, [&](const Field& field) {
      if (field.number != tensor_field::kExternal) return;
      const auto [key, value] = read_entry(field.text);
      const bool known = std::ranges::find(outline_.weight_files, value) != outline_.weight_files.end();
      if (key == "location" && !known) outline_.weight_files.push_back(value);
    });
  }

  std::pair<std::string, std::string> read_entry(std::string_view bytes) const {
    std::pair<std::string, std::string> entry;
    each(bytes, [&](const Field& field) {
      if (field.number == 1) entry.first = field.text;
      if (field.number == 2) entry.second = field.text;
    });
    return entry;
  }

  void read_opset(std::string_view bytes) {
    std::string_view domain;
    int64_t version = 0;
    each(bytes, [&](const Field& field) {
      if (field.number == 1) domain = field.text;
      if (field.number == 2) version = static_cast<int64_t>(field.value);
    });
    if (domain.empty() || domain == "ai.onnx") outline_.opset = version;
  }

  void read_metadata(std::string_view bytes) {
    const auto [key, value] = read_entry(bytes);
    if (key == kPreprocessorConfig) outline_.preprocessor_config = value;
    if (key.starts_with("dppl.")) fail("is an export of dppl; give the encoder that its rows were made with");
  }

  std::string_view name_;
  Outline outline_;
  std::set<std::string, std::less<>> weights_;
};

}  // namespace

Outline Outline::read(std::string_view bytes, std::string_view name) { return OutlineReader(name).read(bytes); }

bool mentions(std::string_view bytes, std::string_view name) {
  std::string field = protobuf::text_field_begin(1, name.size()).substr(1);  // all but the field's number
  return bytes.find(field.append(name)) != std::string_view::npos;
}

void without_input(std::string_view bytes, std::string_view input, std::string_view name,
                   const std::function<void(std::string_view)>& take) {
  Fields fields(bytes, name);
  while (const auto field = fields.next()) {
    if (field->number != model_field::kGraph) {
      take(bytes.substr(field->begin, field->end - field->begin));
      continue;
    }
    size_t kept = 0;  // up to here the graph has been given
    const auto give_until = [&](size_t end) {
      if (end == kept) return;
      take(protobuf::text_field_begin(model_field::kGraph, end - kept));
      take(field->text.substr(kept, end - kept));
    };
    Fields parts(field->text, name);
    while (const auto part = parts.next()) {
      if (part->number != graph_field::kInput || read_tensor(part->text, name).name != input) continue;
      give_until(part->begin);
      kept = part->end;
    }
    give_until(field->text.size());
  }
}

}  // namespace dppl::onnx
