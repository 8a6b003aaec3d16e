// What a whole server in this process answers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "dppl/classify.h"
#include "dppl/embed.h"
#include "support/expect_error.h"
#include "support/image_files.h"
#include "support/npy_bytes.h"
#include "support/served_models.h"

namespace dppl {
namespace {

using Json = nlohmann::json;
using testing::expect_answers;
using testing::expect_error;
using testing::expect_refused;
using testing::HttpAnswer;
using testing::HttpClient;
using testing::infer_json;
using testing::kInfer;
using testing::kLabel;
using testing::random_model;
using testing::random_values;
using testing::raw;
using testing::ServerTest;

TEST_F(ServerTest, TellsAboutItself) {
  ServerOptions given = options();
  given.version = "1.2.3";
  const Server server(given);
  HttpClient client(server.port());
  const Json about = Json::parse(client.get("/v2").body);
  EXPECT_EQ(about["name"], "dppl");
  EXPECT_EQ(about["version"], "1.2.3");
  EXPECT_EQ(about["extensions"][0], "binary_tensor_data");
  EXPECT_EQ(client.get("/v2/health/live").body, R"({"live":true})");
  EXPECT_EQ(client.get("/v2/health/ready").status, 200);
  EXPECT_EQ(client.get("/v2/models/m/ready").body, R"({"name":"m","ready":true})");
  const Json model = Json::parse(client.get("/v2/models/m/").body);
  EXPECT_EQ(model["name"], "m");
  EXPECT_EQ(model["inputs"][0], Json({{"name", "embedding"}, {"datatype", "FP32"}, {"shape", {-1, 3}}}));
  ASSERT_EQ(model["outputs"].size(), 4u);
  EXPECT_EQ(model["outputs"][2], Json({{"name", "scores"}, {"datatype", "FP32"}, {"shape", {-1, 2}}}));
  EXPECT_EQ(model["parameters"]["private"], true);
  EXPECT_EQ(model["parameters"]["rho"], 0.005);
  EXPECT_EQ(model["parameters"]["relation"], "add-remove");
  EXPECT_EQ(model["classes"], Json({"0", "1"}));
  const std::string digest = model["parameters"]["digest"], version = model["versions"][0];
  EXPECT_EQ(digest.size(), 64u);
  EXPECT_TRUE(digest.starts_with(version));
  for (const std::string& one : {version, digest}) {
    EXPECT_EQ(client.get("/v2/models/m/versions/" + one).status, 200);
    EXPECT_EQ(client.get("/v2/models/m/versions/" + one + "/ready").status, 200);
    EXPECT_EQ(client.post("/v2/models/m/versions/" + one + "/infer", infer_json({1, 0, 0})).status, 200);
  }
  expect_refused(client.get("/v2/models/m/versions/1"), 404, version);
}

TEST_F(ServerTest, AnswersAsPredictDoes) {
  constexpr size_t kDim = 40, kRows = 1500;
  const Model model = random_model(kDim, 7, 1);
  save_model(model, files_.path("r.dppl"));
  ServerOptions given = options();
  given.models.push_back({"r", files_.path("r.dppl")});
  const Server server(given);
  const std::vector<float> values = random_values(kRows * kDim, 2);
  const Embeddings rows = Embeddings::view(MatrixView::of(values, kDim));
  const std::vector<int32_t> labels = Classifier(model).predict(rows);
  std::vector<float> scores;
  const Classifier classifier(model);
  classifier.score(rows, [&](uint64_t, std::span<const float> some, auto) {
    scores.insert(scores.end(), some.begin(), some.end());
  });
  const std::vector<float> probabilities = classifier.probabilities(scores);

  // Requests of many sizes from several clients at a time: everybody gets what belongs to their own rows.
  std::atomic<size_t> wrong{0}, answered{0};
  const auto ask = [&](size_t first, size_t count, bool binary, HttpClient& client) {
    const std::string bytes = raw(std::vector<float>(values.begin() + static_cast<ptrdiff_t>(first * kDim),
                                                     values.begin() + static_cast<ptrdiff_t>((first + count) * kDim)));
    Json input{{"name", "embedding"}, {"datatype", "FP32"}, {"shape", {count, kDim}}};
    if (binary) {
      input["parameters"] = {{"binary_data_size", bytes.size()}};
    } else {
      input["data"] = std::vector<float>(values.begin() + static_cast<ptrdiff_t>(first * kDim),
                                         values.begin() + static_cast<ptrdiff_t>((first + count) * kDim));
    }
    const std::string json = Json{{"inputs", Json::array({input})}, {"id", std::to_string(first)}}.dump();
    const HttpAnswer answer =
        client.post("/v2/models/r/infer", json + (binary ? bytes : ""),
                    binary ? fmt::format("Inference-Header-Content-Length: {}\r\n", json.size()) : "");
    const Json told = Json::parse(answer.body);
    bool good = told["id"] == std::to_string(first) && told["outputs"][0]["data"].size() == count;
    for (size_t i = 0; good && i < count; ++i) {
      good = told["outputs"][0]["data"][i] == labels[first + i] &&
             told["outputs"][1]["data"][i] == std::to_string(labels[first + i]);
      for (size_t c = 0; c < 7; ++c) {
        const size_t at = (first + i) * 7 + c;
        good = good && std::abs(told["outputs"][2]["data"][i * 7 + c].get<float>() - scores[at]) < 1e-5f &&
               std::abs(told["outputs"][3]["data"][i * 7 + c].get<float>() - probabilities[at]) < 1e-4f;
      }
    }
    wrong += good ? 0 : 1;
    ++answered;
  };
  std::vector<std::thread> clients;
  for (size_t number = 0; number < 6; ++number) {
    clients.emplace_back([&, number] {
      HttpClient client(server.port());
      for (size_t i = 0; i < 25; ++i) {
        const size_t count = i % 5 == 4 ? 1 + 97 * number : 1 + (i * 7 + number) % 20;
        ask((i * 131 + number * 57) % (kRows - count), count, i % 2 == 0, client);
      }
    });
  }
  clients.emplace_back([&] {
    HttpClient client(server.port());
    ask(0, kRows, true, client);  // several blocks
  });
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(answered, 6 * 25 + 1u);
}

TEST_F(ServerTest, TakesRowsOfEveryTypeAndNone) {
  const Server server(options());
  HttpClient client(server.port());
  for (const auto& [datatype, bytes] : std::vector<std::pair<const char*, std::string>>{
           {"FP64", raw(std::vector<double>{0, 5, 0})},
           {"FP16", raw(std::vector<uint16_t>{0, 0x3c00, 0})},
           {"UINT8", std::string("\0\x05\0", 3)},
           {"INT8", std::string("\xff\x05\0", 3)}}) {
    const std::string json = Json{{"inputs",
                                   {{{"name", "embedding"},
                                     {"datatype", datatype},
                                     {"shape", {1, 3}},
                                     {"parameters", {{"binary_data_size", bytes.size()}}}}}}}
                                 .dump();
    const HttpAnswer answer =
        client.post(kInfer, json + bytes, fmt::format("Inference-Header-Content-Length: {}\r\n", json.size()));
    ASSERT_EQ(answer.status, 200) << datatype << answer.body;
    EXPECT_EQ(Json::parse(answer.body)["outputs"][0]["data"], Json::array({1})) << datatype;
  }
  const HttpAnswer none = client.post(kInfer, infer_json(Json::array()));
  EXPECT_EQ(none.status, 200);
  EXPECT_EQ(Json::parse(none.body)["outputs"][2]["shape"], Json({0, 2}));
  const HttpAnswer zeros = client.post(kInfer, infer_json({0, 0, 0}));
  EXPECT_EQ(zeros.status, 200) << "as predict does: the first class";
  EXPECT_EQ(Json::parse(zeros.body)["outputs"][0]["data"], Json::array({0}));
  const HttpAnswer plain =
      client.post(kInfer, raw(std::vector<float>{1, 0, 0}), "Inference-Header-Content-Length: 0\r\n");
  EXPECT_EQ(plain.status, 200);
  const size_t json_size = std::stoul(plain.fields.at("inference-header-content-length"));
  EXPECT_EQ(plain.body.substr(json_size, 8), std::string(8, '\0'));
}

TEST_F(ServerTest, RefusesWithAClearWord) {
  const Server server(options());
  HttpClient client(server.port());
  expect_refused(client.post("/v2/models/x/infer", "{}"), 404, "there is no model 'x'; there is m");
  expect_refused(client.get("/v2/models/m/stats"), 404, "no such address");
  expect_refused(client.get("/v2/health"), 404, "no such address");
  expect_refused(client.get("/nothing"), 404, "/ lists");
  expect_refused(client.get("/v2/models/%zz"), 400, "'%'");
  expect_refused(client.get(kInfer), 405, "use POST");
  expect_refused(client.post("/v2", ""), 405, "use GET");
  expect_refused(client.post("/metrics", ""), 405, "use GET");
  expect_refused(client.post(kInfer, ""), 400, "empty");
  expect_refused(client.post(kInfer, "{]"), 400, "broken at byte");
  expect_refused(client.post(kInfer, infer_json({1, 0, 0}, {{{"name", "logits"}}})), 400, "output 'logits'");
  expect_refused(client.post(kInfer, infer_json({1, 0, 0}), "Content-Encoding: gzip\r\n"), 415, "compressed");
  expect_refused(client.post(kInfer, infer_json({1, 0, 0}), "Inference-Header-Content-Length: x\r\n"), 400,
                 "no number");
  expect_refused(client.post("/v2/models/m/classify", "x"), 400, "without an encoder");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  expect_refused(client.post(kInfer, raw(std::vector<float>{1, nan, 0}), "Inference-Header-Content-Length: 0\r\n"), 400,
                 "finite");
  expect_answers(server.port());
}

TEST_F(ServerTest, RefusesAnAnswerThatWouldBeTooLarge) {
  ServerOptions given = options();
  given.limits.body_bytes = 1000;
  const Server server(given);
  HttpClient client(server.port());
  const Json rows = std::vector<int>(3 * 63, 1);
  expect_refused(client.post(kInfer, infer_json(rows)), 413, "send fewer rows");
  EXPECT_EQ(client.post(kInfer, infer_json(rows, kLabel)).status, 200);
}

TEST_F(ServerTest, CountsForPrometheus) {
  const Server server(options());
  HttpClient client(server.port());
  client.post(kInfer, infer_json({1, 0, 0, 0, 1, 0}));
  client.post(kInfer, "{}");
  client.get("/v2/models/secret-of-a-client");
  const HttpAnswer answer = client.get("/metrics");
  EXPECT_TRUE(answer.fields.at("content-type").starts_with("text/plain; version=0.0.4"));
  for (const char* line :
       {"dppl_requests_total{endpoint=\"infer\",model=\"m\",code=\"200\"} 1\n",
        "dppl_requests_total{endpoint=\"infer\",model=\"m\",code=\"400\"} 1\n", "dppl_rows_total{model=\"m\"} 2\n",
        "dppl_request_seconds_count{endpoint=\"infer\"} 2\n", "dppl_batch_rows_count 1\n", "dppl_connections 1\n",
        "# TYPE dppl_request_seconds histogram\n", "dppl_model_info{model=\"m\",version=\"",
        "process_resident_memory_bytes "}) {
    EXPECT_NE(answer.body.find(line), std::string::npos) << line << "is not in\n" << answer.body;
  }
  EXPECT_EQ(answer.body.find("secret"), std::string::npos);
}

// ---- Images

class ServerOfImages : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    save_model(model_, files_.path("i.dppl"));
  }
  ServerOptions options() {
    ServerOptions given = ServerTest::options();
    given.models.push_back({"i", files_.path("i.dppl")});
    given.encoder = encoder_;
    return given;
  }

  const std::shared_ptr<Encoder> encoder_ = open_encoder("builtin:hog");
  const Model model_ = random_model(encoder_->dim(), 12, 5);
  static constexpr const char* kClassify = "/v2/models/i/classify";
};

Image some_image(int shade) {
  Image image = testing::make_image(
      60, 40, 3, [](size_t x, size_t y, size_t c) { return static_cast<uint8_t>((x * 5 + y * (c + 2)) % 256); });
  for (size_t i = 0; i < image.pixels.size(); i += 7) image.pixels[i] = static_cast<uint8_t>(shade);
  return image;
}

TEST_F(ServerOfImages, ClassifiesAsEmbedAndPredictDo) {
  const Server server(options());
  std::atomic<int> wrong{0};
  std::vector<std::thread> clients;
  for (int number = 0; number < 4; ++number) {
    clients.emplace_back([&, number] {
      HttpClient client(server.port());
      for (int i = 0; i < 8; ++i) {
        const Image image = some_image(number * 60 + i * 7);
        const HttpAnswer answer = client.post(fmt::format("{}?top=3", kClassify), testing::png_bytes(image));
        std::vector<float> input(encoder_->input_size()), row(encoder_->dim()), scores;
        encoder_->prepare(image, input);
        const auto own = open_encoder("builtin:hog");
        own->encode(input, 1, row);
        int32_t label = -1;
        const Classifier classifier(model_);
        classifier.score(Embeddings::view(MatrixView::of(row, row.size())),
                         [&](uint64_t, std::span<const float> some, std::span<const int32_t> nearest) {
                           scores.assign(some.begin(), some.end());
                           label = nearest[0];
                         });
        const Json told = Json::parse(answer.body);
        const std::vector<float> probabilities = classifier.probabilities(scores);
        const bool good =
            answer.status == 200 && told["label"] == label && told["class"] == std::to_string(label) &&
            told["top"].size() == 3 && told["top"][0]["label"] == label &&
            std::abs(told["top"][0]["score"].get<float>() - scores[static_cast<size_t>(label)]) < 1e-5f &&
            std::abs(told["probability"].get<float>() - probabilities[static_cast<size_t>(label)]) < 1e-4f &&
            told["top"][1]["score"] >= told["top"][2]["score"];
        if (!good) ++wrong;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
  HttpClient client(server.port());
  const HttpAnswer jpeg = client.post(kClassify, testing::jpeg_bytes(some_image(0)), "Content-Type: image/jpeg\r\n");
  EXPECT_EQ(jpeg.status, 200) << jpeg.body;
  EXPECT_EQ(Json::parse(jpeg.body)["top"].size(), 5u);
}

TEST_F(ServerOfImages, RefusesWhatIsNoImage) {
  ServerOptions given = options();
  given.limits.pixels = 5000;
  const Server server(given);
  HttpClient client(server.port());
  const std::string png = testing::png_bytes(some_image(1));
  expect_refused(client.post(kClassify, ""), 400, "is empty");
  expect_refused(client.post(kClassify, "GIF89a"), 400, "neither a JPEG nor a PNG");
  expect_refused(client.post(kClassify, png.substr(0, png.size() / 2)), 400, "the image");
  expect_refused(client.post(kClassify, testing::png_bytes(testing::make_image(
                                            100, 60, 1, [](size_t, size_t, size_t) { return uint8_t{1}; }))),
                 400, "at most 5000 pixels");
  expect_refused(client.post(kClassify, png, "Content-Type: multipart/form-data; boundary=x\r\n"), 415, "not a form");
  expect_refused(client.post(fmt::format("{}?top=none", kClassify), png), 400, "?top=3");
  expect_refused(client.post("/v2/models/m/classify", png), 400, "rows of 3");
  EXPECT_EQ(client.post(kClassify, png).status, 200);
}

TEST_F(ServerOfImages, AnEncoderThatFitsNoModelIsRefused) {
  ServerOptions given = ServerTest::options();
  given.encoder = encoder_;
  expect_error<InvalidInput>([&] { Server{given}; }, {"the encoder makes rows of", "'m' takes rows of 3"});
}

}  // namespace
}  // namespace dppl
