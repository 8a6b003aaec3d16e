#include "serving/infer_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "serving/constants.h"
#include "serving/http.h"

namespace dppl::serving {
namespace {

using Json = nlohmann::json;

// Builds a tree of everything but the input's data, which goes into one list of numbers as it is read: a tree of them
// would take many times the text's size.
class Reader : public nlohmann::json_sax<Json> {
 public:
  Json tree;
  std::optional<std::vector<float>> data;
  bool only_integers = true;
  std::optional<RowLengths> row_lengths;
  std::string failure;

  bool null() override { return other(nullptr); }
  bool boolean(bool value) override { return other(value); }
  bool number_integer(int64_t value) override {
    return in_data() ? number(static_cast<double>(value), true) : other(value);
  }
  bool number_unsigned(uint64_t value) override {
    return in_data() ? number(static_cast<double>(value), true) : other(value);
  }
  bool number_float(double value, const std::string&) override {
    return in_data() ? number(value, false) : other(value);
  }
  bool string(std::string& value) override { return other(std::move(value)); }
  bool binary(Json::binary_t&) override { return fail("binary values are not JSON"); }
  bool key(std::string& value) override {
    if (open_.back()->contains(value)) return fail(fmt::format("'{}' stands there twice", shortened(value)));
    key_ = std::move(value);
    return true;
  }

  bool start_object(size_t) override { return start(Json::object()); }
  bool end_object() override { return end(); }

  bool start_array(size_t) override {
    if (in_data()) return start_row();
    if (!is_data_of_input()) return start(Json::array());
    if (data) return fail("one input is taken");
    data.emplace();
    data_depth_ = 1;
    return add(true) != nullptr;  // in the tree it says only that it is there
  }
  bool end_array() override {
    if (!in_data()) return end();
    if (data_depth_ == 2 && !end_row()) return false;
    --data_depth_;
    return true;
  }

  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    // The library's message quotes what it read; the place says enough.
    static_cast<void>(error);
    return fail(fmt::format("the JSON is broken at byte {}", position));
  }

 private:
  bool in_data() const { return data_depth_ > 0; }

  bool fail(std::string message) {
    if (failure.empty()) failure = std::move(message);
    return false;
  }

  // Whether the array that begins here is inputs[…].data.
  bool is_data_of_input() const {
    return open_.size() == 3 && open_[2]->is_object() && key_ == "data" && open_[1] == inputs_;
  }

  bool number(double value, bool is_integer) {
    if (data_depth_ == 1 && row_lengths) return fail("data mixes rows and values");
    only_integers = only_integers && is_integer;
    data->push_back(static_cast<float>(value));
    return true;
  }

  bool start_row() {
    if (data_depth_ == 2) return fail("data has more than two dimensions");
    if (!row_lengths && !data->empty()) return fail("data mixes rows and values");
    if (!row_lengths) row_lengths.emplace();
    row_begin_ = data->size();
    data_depth_ = 2;
    return true;
  }

  bool end_row() {
    const size_t length = data->size() - row_begin_;
    if (row_lengths->count > 0 && row_lengths->length != length) return fail("data has rows of different lengths");
    row_lengths->length = length;
    ++row_lengths->count;
    return true;
  }

  template <typename Value>
  bool other(Value&& value) {
    if (in_data()) return fail("data holds something that is not a number");
    return add(Json(std::forward<Value>(value))) != nullptr;
  }

  // The value's place in the tree; null where there are too many.
  Json* add(Json value) {
    if (++others_ > kMaxOthers) {
      fail("there are too many values beside the data");
      return nullptr;
    }
    if (open_.empty()) return &(tree = std::move(value));
    if (open_.back()->is_array()) return &open_.back()->emplace_back(std::move(value));
    return &((*open_.back())[key_] = std::move(value));
  }

  bool start(Json container) {
    if (in_data()) return fail("data holds something that is not a number");
    if (open_.size() >= kMaxDepth) return fail("the JSON is nested too deeply");
    const bool is_inputs = open_.size() == 1 && open_[0]->is_object() && key_ == "inputs" && container.is_array();
    Json* place = add(std::move(container));
    if (place == nullptr) return false;
    open_.push_back(place);
    if (is_inputs) inputs_ = place;
    return true;
  }

  bool end() {
    open_.pop_back();
    return true;
  }

  // Containers that are not yet complete. A vector or a map that grows moves no container that is still open: only
  // the last one grows, and it holds none of the others.
  std::vector<Json*> open_;
  const Json* inputs_ = nullptr;
  std::string key_;
  size_t others_ = 0, data_depth_ = 0, row_begin_ = 0;
};

// ---- From the tree

const Json* find(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string text_at(const Json& object, const char* key, const char* where) {
  const Json* value = find(object, key);
  if (value == nullptr || !value->is_string()) {
    throw InvalidInput(fmt::format("{}: '{}' is missing or no text", where, key));
  }
  return value->get<std::string>();
}

const Json* parameter(const Json& object, const char* key, const char* where) {
  const Json* parameters = find(object, "parameters");
  if (parameters == nullptr) return nullptr;
  if (!parameters->is_object()) throw InvalidInput(fmt::format("{}: 'parameters' is no object", where));
  return find(*parameters, key);
}

std::optional<bool> flag_parameter(const Json& object, const char* key, const char* where) {
  const Json* value = parameter(object, key, where);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) throw InvalidInput(fmt::format("{}: '{}' is neither true nor false", where, key));
  return value->get<bool>();
}

void read_input(const Json& tree, InferJson& result) {
  const Json* inputs = find(tree, "inputs");
  if (inputs == nullptr || !inputs->is_array() || inputs->size() != 1 || !inputs->front().is_object()) {
    throw InvalidInput("'inputs' must be a list of one input, an object");
  }
  const Json& input = inputs->front();
  result.input_name = text_at(input, "name", "inputs");
  result.datatype = text_at(input, "datatype", "inputs");
  const Json* shape = find(input, "shape");
  if (shape == nullptr || !shape->is_array()) throw InvalidInput("inputs: 'shape' is missing or no list");
  for (const Json& extent : *shape) {
    if (!extent.is_number_unsigned()) throw InvalidInput("inputs: 'shape' holds something that is no size");
    result.shape.push_back(extent.get<uint64_t>());
  }
  if (find(input, "data") != nullptr && !result.data) throw InvalidInput("inputs: 'data' is no list");
  if (const Json* size = parameter(input, "binary_data_size", "inputs")) {
    if (!size->is_number_unsigned()) throw InvalidInput("inputs: 'binary_data_size' is no size");
    result.binary_size = size->get<uint64_t>();
  }
}

void read_outputs(const Json& tree, InferJson& result) {
  const Json* outputs = find(tree, "outputs");
  if (outputs == nullptr) return;
  if (!outputs->is_array()) throw InvalidInput("'outputs' is no list");
  if (outputs->empty()) return;
  result.outputs.emplace();
  for (const Json& output : *outputs) {
    if (!output.is_object()) throw InvalidInput("'outputs' holds something that is no object");
    result.outputs->push_back({text_at(output, "name", "outputs"), flag_parameter(output, "binary_data", "outputs")});
  }
}

}  // namespace

InferJson parse_infer_json(std::string_view text) {
  if (text.empty()) throw InvalidInput("the body is empty; send an inference request in JSON");
  Reader reader;
  if (!Json::sax_parse(text, &reader)) {
    throw InvalidInput(reader.failure.empty() ? "the JSON is broken" : reader.failure);
  }
  if (!reader.tree.is_object()) throw InvalidInput("the JSON is no object");
  InferJson result;
  result.data = std::move(reader.data);
  result.only_integers = reader.only_integers;
  result.row_lengths = reader.row_lengths;
  if (find(reader.tree, "id") != nullptr) result.id = text_at(reader.tree, "id", "the request");
  result.binary_output = flag_parameter(reader.tree, "binary_data_output", "the request").value_or(false);
  read_input(reader.tree, result);
  read_outputs(reader.tree, result);
  return result;
}

}  // namespace dppl::serving
