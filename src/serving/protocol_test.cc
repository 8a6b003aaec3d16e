#include "serving/protocol.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/float16.h"
#include "support/expect_error.h"
#include "support/npy_bytes.h"

namespace dppl::serving {
namespace {

using Json = nlohmann::json;
using ::dppl::testing::expect_error;
using ::dppl::testing::raw;

constexpr size_t kDim = 3;

InferRequest parse(const std::string& body, std::optional<size_t> json_size = std::nullopt) {
  const auto owner = std::make_shared<const std::string>(body);
  return parse_infer_request(std::as_bytes(std::span(*owner)), owner, json_size, kDim);
}

Json input(const Json& shape, const char* datatype = "FP32") {
  return {{"name", "embedding"}, {"shape", shape}, {"datatype", datatype}};
}

std::string with_input(const Json& one) { return Json::object({{"inputs", Json::array({one})}}).dump(); }

std::string request(const Json& shape, const Json& data, const char* datatype = "FP32") {
  Json one = input(shape, datatype);
  one["data"] = data;
  return with_input(one);
}

// JSON, then the bytes.
InferRequest parse_binary(const Json& shape, const char* datatype, const std::string& bytes,
                          std::optional<size_t> told = std::nullopt) {
  Json one = input(shape, datatype);
  one["parameters"] = {{"binary_data_size", told.value_or(bytes.size())}};
  const std::string json = with_input(one);
  return parse(json + bytes, json.size());
}

std::vector<std::vector<float>> rows_of(const Embeddings& rows) {
  std::vector<std::vector<float>> result(rows.rows(), std::vector<float>(rows.dim()));
  for (size_t i = 0; i < rows.rows(); ++i) rows.row(i, result[i]);
  return result;
}

using Rows = std::vector<std::vector<float>>;

void expect_refused(const std::string& body, std::initializer_list<std::string_view> words) {
  SCOPED_TRACE(body);
  expect_error<InvalidInput>([&] { parse(body); }, words);
}

TEST(InferenceProtocol, RowsComeFlatOrNested) {
  const Rows expected{{1, 2.5f, -3}, {0, 0, 1e-3f}};
  EXPECT_EQ(rows_of(parse(request({2, 3}, {1, 2.5, -3, 0, 0, 1e-3})).rows), expected);
  EXPECT_EQ(rows_of(parse(request({2, 3}, {{1, 2.5, -3}, {0, 0, 1e-3}})).rows), expected);
  EXPECT_EQ(rows_of(parse(request({2, 3}, {1, 2.5, -3, 0, 0, 1e-3}, "FP64")).rows), expected);
  EXPECT_EQ(rows_of(parse(request({1, 3}, {0, 255, 7}, "UINT8")).rows), (Rows{{0, 255, 7}}));
  EXPECT_EQ(rows_of(parse(request({1, 3}, {-128, 127, 0}, "INT8")).rows), (Rows{{-128, 127, 0}}));
}

TEST(InferenceProtocol, TheOrderOfKeysDoesNotMatter) {
  const auto found = parse(R"({"outputs":[{"name":"label"}],"inputs":[{"data":[1,2,3],"datatype":"FP32",)"
                           R"("shape":[1,3],"name":"embedding"}],"id":"é"})");
  EXPECT_EQ(rows_of(found.rows), (Rows{{1, 2, 3}}));
  EXPECT_EQ(found.id, "é");
  ASSERT_EQ(found.outputs.size(), 1u);
  EXPECT_EQ(found.outputs[0].output, Output::label);
}

TEST(InferenceProtocol, BinaryRowsOfEveryType) {
  EXPECT_EQ(rows_of(parse_binary({1, 3}, "FP32", raw(std::vector<float>{1, -2, 0.5f})).rows), (Rows{{1, -2, 0.5f}}));
  EXPECT_EQ(rows_of(parse_binary({1, 3}, "FP64", raw(std::vector<double>{1, -2, 0.1})).rows), (Rows{{1, -2, 0.1f}}));
  EXPECT_EQ(rows_of(parse_binary({1, 3}, "UINT8", "\x01\xff\x10").rows), (Rows{{1, 255, 16}}));
  EXPECT_EQ(rows_of(parse_binary({1, 3}, "INT8", "\x01\xff\x10").rows), (Rows{{1, -1, 16}}));
  const std::vector<uint16_t> halves{float_to_half(1), float_to_half(-2), float_to_half(0.5f)};
  EXPECT_EQ(rows_of(parse_binary({1, 3}, "FP16", raw(halves)).rows), (Rows{{1, -2, 0.5f}}));
}

TEST(InferenceProtocol, ABodyWithoutJsonIsRowsOfFloats) {
  const auto found = parse(raw(std::vector<float>{1, 2, 3, 4, 5, 6}), 0);
  EXPECT_EQ(rows_of(found.rows), (Rows{{1, 2, 3}, {4, 5, 6}}));
  ASSERT_EQ(found.outputs.size(), 4u);
  EXPECT_TRUE(found.outputs[0].binary);
  expect_error<InvalidInput>([] { parse(std::string(13, 'x'), 0); }, {"13 bytes are no rows of 3 float32 values"});
}

TEST(InferenceProtocol, NoRowsAreFine) {
  EXPECT_EQ(parse(request({0, 3}, Json::array())).rows.rows(), 0u);
  EXPECT_EQ(parse_binary({0, 3}, "UINT8", "").rows.rows(), 0u);
  EXPECT_EQ(parse("", 0).rows.rows(), 0u);
}

TEST(InferenceProtocol, RowsOfZerosAreFine) {
  EXPECT_EQ(rows_of(parse(request({1, 3}, {0, 0, 0})).rows), (Rows{{0, 0, 0}}));
}

TEST(InferenceProtocol, ValuesThatAreNotFiniteAreRefused) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();
  for (const float bad : {kNaN, kInfinity, -kInfinity}) {
    expect_error<InvalidInput>(
        [&] {
          parse_binary({2, 3}, "FP32", raw(std::vector<float>{1, 2, 3, 4, bad, 6}));
        },
        {"'embedding'", "row 1", "finite"});
    expect_error<InvalidInput>(
        [&] {
          parse_binary({1, 3}, "FP16", raw(std::vector<uint16_t>{0, float_to_half(bad), 0}));
        },
        {"row 0", "finite"});
    expect_error<InvalidInput>(
        [&] {
          parse_binary({1, 3}, "FP64", raw(std::vector<double>{0, static_cast<double>(bad), 0}));
        },
        {"finite"});
  }
  expect_error<InvalidInput>([] { parse_binary({1, 3}, "FP64", raw(std::vector<double>{0, 1e300, 0})); }, {"finite"});
  expect_refused(request({1, 3}, {0, 1e300, 0}), {"row 0", "finite"});
  expect_refused(R"({"inputs":[{"name":"embedding","datatype":"FP32","shape":[1,3],"data":[1,NaN,2]}]})",
                 {"JSON is broken at byte"});
}

TEST(InferenceProtocol, WrongShapesAreRefused) {
  expect_refused(request({1, 4}, {1, 2, 3, 4}), {"[1, 4]", "[rows, 3]"});
  expect_refused(request({3}, {1, 2, 3}), {"[3]", "[rows, 3]"});
  expect_refused(request(Json::array(), {1, 2, 3}), {"[]", "[rows, 3]"});
  expect_refused(request({1, 1, 3}, {1, 2, 3}), {"[1, 1, 3]"});
  expect_refused(request({2, 3}, {1, 2, 3}), {"data has 3 values", "2 × 3"});
  expect_refused(request({-1, 3}, {1, 2, 3}), {"'shape'", "no size"});
  expect_refused(request({1.0, 3}, {1, 2, 3}), {"'shape'", "no size"});
  expect_refused(request({1, 3}, {{1}, {2}, {3}}), {"3 rows of 1 values", "1 × 3"});
  expect_refused(request({2, 3}, {{1, 2, 3, 4}, {5, 6}}), {"rows of different lengths"});
  expect_refused(request({1, 3}, {{{1, 2, 3}}}), {"more than two dimensions"});
  expect_refused(request({2, 3}, {{1, 2, 3}, 4, 5, 6}), {"mixes rows and values"});
  expect_refused(request({2, 3}, {4, 5, 6, {1, 2, 3}}), {"mixes rows and values"});
  // 2^64 / 12 rows and some: the product wraps around to the bytes that are there.
  expect_error<InvalidInput>(
      [] {
        parse_binary({1537228672809129302, 3}, "FP32", std::string(8, '\0'));
      },
      {"rows of 3 values of float32", "there are 8 bytes"});
}

TEST(InferenceProtocol, WrongTypesAreRefused) {
  expect_refused(request({1, 3}, {1, 2, 3}, "INT64"), {"datatype 'INT64'", "FP32, FP64, FP16, UINT8 or INT8"});
  expect_refused(request({1, 3}, {1, 2, 3}, "FP16"), {"FP16 is sent as binary data"});
  expect_refused(request({1, 3}, {1, 2.5, 3}, "UINT8"), {"integers from 0 to 255"});
  expect_refused(request({1, 3}, {1, 256, 3}, "UINT8"), {"integers from 0 to 255"});
  expect_refused(request({1, 3}, {1, -129, 3}, "INT8"), {"integers from -128 to 127"});
  expect_refused(request({1, 3}, {"1", 2, 3}), {"not a number"});
  expect_refused(request({1, 3}, {true, 2, 3}), {"not a number"});
  expect_refused(request({1, 3}, {nullptr, 2, 3}), {"not a number"});
  expect_refused(request({1, 3}, {Json::object(), 2, 3}), {"not a number"});
  expect_refused(request({1, 3}, "1 2 3"), {"'data' is no list"});
}

TEST(InferenceProtocol, BinarySizesMustFit) {
  const std::string bytes = raw(std::vector<float>{1, 2, 3});
  expect_error<InvalidInput>([&] { parse_binary({1, 3}, "FP32", bytes, 11); }, {"12 bytes follow", "says 11"});
  expect_error<InvalidInput>([&] { parse_binary({1, 3}, "FP32", bytes + "x"); }, {"there are 13 bytes"});
  expect_error<InvalidInput>([&] { parse_binary({2, 3}, "FP32", bytes); }, {"2 rows", "there are 12 bytes"});
  const std::string json = request({1, 3}, {1, 2, 3});
  expect_error<InvalidInput>([&] { parse(json + "extra", json.size()); }, {"5 bytes follow the JSON", "says 0"});
  expect_error<InvalidInput>([&] { parse(json, json.size() + 1); }, {"Inference-Header-Content-Length"});
  Json both = input({1, 3});
  both["data"] = {1, 2, 3};
  both["parameters"] = {{"binary_data_size", 12}};
  expect_refused(with_input(both), {"not both"});
  expect_refused(with_input(input({1, 3})), {"has no data"});
}

TEST(InferenceProtocol, MalformedBodiesAreRefused) {
  expect_refused("", {"empty"});
  expect_refused("{", {"broken at byte"});
  expect_refused("[]", {"no object"});
  expect_refused("null", {"no object"});
  expect_refused("{}", {"'inputs'"});
  expect_refused(R"({"inputs":[]})", {"'inputs'", "one input"});
  expect_refused(R"({"inputs":[1]})", {"'inputs'"});
  expect_refused(R"({"inputs":{"data":[1]}})", {"'inputs'"});
  expect_refused(R"({"inputs":[{"data":[1]},{"data":[2]}]})", {"one input"});
  expect_refused(R"({"inputs":[{"data":[1],"data":[2]}]})", {"twice"});
  expect_refused(R"({"inputs":[{"name":"pixels","datatype":"FP32","shape":[1,3],"data":[1,2,3]}]})",
                 {"input 'pixels' is not known", "'embedding'"});
  expect_refused(request({1, 3}, {1, 2, 3}) + "x", {"broken at byte"});
  expect_refused("{\"id\":\"\xff\"}", {"broken at byte"});
  expect_refused(std::string(100000, '['), {"nested too deeply"});
  std::string many = R"({"parameters":{)";
  for (int i = 0; i < 2000; ++i) many += fmt::format(R"("k{}":1,)", i);
  expect_refused(many + R"("end":1}})", {"too many values"});
  expect_refused(R"({"id":7,"inputs":[]})", {"'id'"});
  expect_refused(R"({"parameters":7,"inputs":[]})", {"'parameters' is no object"});
}

TEST(InferenceProtocol, OutputsAsAskedFor) {
  Json body = Json::parse(request({1, 3}, {1, 2, 3}));
  const auto all = parse(body.dump());
  ASSERT_EQ(all.outputs.size(), 4u);
  EXPECT_TRUE(all.wants_scores());
  EXPECT_FALSE(all.outputs[0].binary);
  body["outputs"] = {{{"name", "class"}}, {{"name", "label"}, {"parameters", {{"binary_data", true}}}}};
  const auto some = parse(body.dump());
  ASSERT_EQ(some.outputs.size(), 2u);
  EXPECT_EQ(some.outputs[0].output, Output::class_name);
  EXPECT_FALSE(some.outputs[0].binary);
  EXPECT_TRUE(some.outputs[1].binary);
  EXPECT_FALSE(some.wants_scores());
  body["parameters"] = {{"binary_data_output", true}};
  EXPECT_TRUE(parse(body.dump()).outputs[0].binary);
  body["outputs"].push_back({{"name", "logits"}});
  expect_refused(body.dump(), {"output 'logits' is not known", "label, class, scores and probabilities"});
  body["outputs"] = {{{"name", "label"}}, {{"name", "label"}}};
  expect_refused(body.dump(), {"'label' is asked for twice"});
  body["outputs"] = {{{"name", "label"}, {"parameters", {{"binary_data", 1}}}}};
  expect_refused(body.dump(), {"'binary_data' is neither true nor false"});
}

InferAnswer some_answer() {
  return {.model = "m\"1",
          .version = "v",
          .classes = ClassSet::named({"cat", "dög \"x\""}),
          .labels = {1, 0},
          .scores = {-0.25f, 0.1f, 1e-9f, -3e8f},
          .probabilities = {0.25f, 0.75f, 1, 0}};
}

TEST(InferenceProtocol, AnswersInJson) {
  Json body = Json::parse(request({2, 3}, {1, 2, 3, 4, 5, 6}));
  body["id"] = "7\n";
  const HttpResponse response = write_infer_response(parse(body.dump()), some_answer());
  EXPECT_EQ(response.content_type, "application/json");
  const Json told = Json::parse(response.body);
  EXPECT_EQ(told["model_name"], "m\"1");
  EXPECT_EQ(told["model_version"], "v");
  EXPECT_EQ(told["id"], "7\n");
  const Json& outputs = told["outputs"];
  ASSERT_EQ(outputs.size(), 4u);
  EXPECT_EQ(outputs[0], Json({{"name", "label"}, {"datatype", "INT64"}, {"shape", {2}}, {"data", {1, 0}}}));
  EXPECT_EQ(outputs[1]["data"], Json({"dög \"x\"", "cat"}));
  EXPECT_EQ(outputs[2]["shape"], Json({2, 2}));
  // To the last bit of a float32.
  EXPECT_EQ(outputs[2]["data"].get<std::vector<float>>(), some_answer().scores);
  EXPECT_EQ(outputs[3]["data"].get<std::vector<float>>(), some_answer().probabilities);
}

TEST(InferenceProtocol, AnswersInBinary) {
  Json body = Json::parse(request({2, 3}, {1, 2, 3, 4, 5, 6}));
  body["parameters"] = {{"binary_data_output", true}};
  body["outputs"] = {{{"name", "scores"}},
                     {{"name", "label"}, {"parameters", {{"binary_data", false}}}},
                     {{"name", "class"}},
                     {{"name", "probabilities"}}};
  const HttpResponse response = write_infer_response(parse(body.dump()), some_answer());
  EXPECT_EQ(response.content_type, "application/octet-stream");
  ASSERT_EQ(response.fields.size(), 1u);
  EXPECT_EQ(response.fields[0].first, "Inference-Header-Content-Length");
  const size_t json_size = std::stoul(response.fields[0].second);
  const Json told = Json::parse(response.body.substr(0, json_size));
  EXPECT_FALSE(told.contains("id"));
  EXPECT_EQ(told["outputs"][0]["parameters"]["binary_data_size"], 16);
  EXPECT_EQ(told["outputs"][1]["data"], Json({1, 0}));
  std::string expected_names;
  for (const std::string name : {"dög \"x\"", "cat"}) {
    expected_names += raw(std::vector<uint32_t>{static_cast<uint32_t>(name.size())}) + name;
  }
  EXPECT_EQ(response.body.substr(json_size),
            raw(some_answer().scores) + expected_names + raw(some_answer().probabilities));
}

TEST(InferenceProtocol, AnswersAreSizedBeforeTheyAreComputed) {
  Json body = Json::parse(request({2, 3}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(answer_bytes(parse(body.dump()), 1000), 2 * (4 + 2 * 4000u));
  body["outputs"] = {{{"name", "label"}}};
  EXPECT_EQ(answer_bytes(parse(body.dump()), 1000), 2 * 4u);
}

TEST(InferenceProtocol, TheHeadersFieldIsANumber) {
  EXPECT_EQ(parse_json_size(""), std::nullopt);
  EXPECT_EQ(parse_json_size("120"), 120u);
  for (const char* bad : {"-1", "1x", "99999999999999999999999", " "}) {
    expect_error<InvalidInput>([&] { parse_json_size(bad); }, {"Inference-Header-Content-Length", "no number"});
  }
}

}  // namespace
}  // namespace dppl::serving
