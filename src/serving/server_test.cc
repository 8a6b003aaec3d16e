// A whole server in this process, and clients that behave well or not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "dppl/classify.h"
#include "dppl/embed.h"
#include "dppl/serving.h"
#include "support/expect_error.h"
#include "support/http_client.h"
#include "support/image_files.h"
#include "support/npy_bytes.h"
#include "support/sample_models.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using Json = nlohmann::json;
using testing::expect_error;
using testing::HttpAnswer;
using testing::HttpClient;
using testing::raw;
using testing::TempDir;

std::vector<float> random_values(size_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> distribution;
  std::vector<float> values(count);
  for (float& value : values) value = distribution(generator);
  return values;
}

Model random_model(size_t dim, size_t classes, uint32_t seed) {
  Model model = testing::mean_model();
  model.transform = PublicTransform::restore({}, dim, {}, {});
  model.classes = ClassSet::numbered(classes);
  model.prototypes = random_values(dim * classes, seed);
  model.sums.clear();
  return model;
}

class ServerTest : public ::testing::Test {
 protected:
  void SetUp() override { save_model(testing::mean_model(), files_.path("m.dppl")); }

  ServerOptions options() {
    ServerOptions result;
    result.models = {{"m", files_.path("m.dppl")}};
    result.note = [this](const std::string& what) {
      const std::lock_guard lock(mutex_);
      notes_ += what + "\n";
    };
    return result;
  }
  std::string notes() {
    const std::lock_guard lock(mutex_);
    return notes_;
  }

  TempDir files_;

 private:
  std::mutex mutex_;
  std::string notes_;
};

std::string infer_json(const Json& data, const Json& outputs = nullptr) {
  const size_t rows = data.size() / 3;
  Json body{{"inputs", {{{"name", "embedding"}, {"shape", {rows, 3}}, {"datatype", "FP32"}, {"data", data}}}}};
  if (!outputs.is_null()) body["outputs"] = outputs;
  return body.dump();
}

const Json kLabel = {{{"name", "label"}}};
constexpr const char* kInfer = "/v2/models/m/infer";

void expect_refused(const HttpAnswer& answer, int status, std::string_view word) {
  EXPECT_EQ(answer.status, status) << answer.body;
  EXPECT_EQ(answer.fields.at("content-type"), "application/json");
  const Json told = Json::parse(answer.body);
  ASSERT_TRUE(told.contains("error")) << answer.body;
  EXPECT_NE(told["error"].get<std::string>().find(word), std::string::npos) << answer.body;
}

void expect_answers(uint16_t port) {
  HttpClient client(port);
  const HttpAnswer answer = client.post(kInfer, infer_json({0, 2, 0}, kLabel));
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(Json::parse(answer.body)["outputs"][0]["data"], Json::array({1}));
}

// ---- What is answered

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

// ---- HTTP

TEST_F(ServerTest, KeepsConnectionsAsAsked) {
  const Server server(options());
  HttpClient client(server.port());
  EXPECT_EQ(client.get("/v2").fields.at("connection"), "keep-alive");
  EXPECT_EQ(client.get("/v2", "HEAD").status, 200);
  EXPECT_EQ(client.get("/v2").status, 200) << "an answer to HEAD has no body";
  client.send("GET /v2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(client.receive().fields.at("connection"), "close");
  EXPECT_TRUE(client.is_closed());
  HttpClient old(server.port());
  old.send("GET /v2 HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.receive().status, 200);
  EXPECT_TRUE(old.is_closed());
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrder) {
  const Server server(options());
  HttpClient client(server.port());
  std::string all;
  for (int i = 0; i < 20; ++i) {
    const std::string body = infer_json({i % 2, (i + 1) % 2, 0}, kLabel);
    all += fmt::format("POST {} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{}", kInfer, body.size(), body);
  }
  client.send(all);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(Json::parse(client.receive().body)["outputs"][0]["data"], Json::array({(i + 1) % 2})) << i;
  }
}

TEST_F(ServerTest, TakesBodiesInChunks) {
  ServerOptions given = options();
  given.limits.body_bytes = 2000;
  const Server server(given);
  const std::string head = fmt::format("POST {} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", kInfer);
  const std::string body = infer_json({0, 1, 0}, kLabel);
  HttpClient client(server.port());
  client.send(head);
  for (const char c : body) client.send(fmt::format("1;x=y\r\n{}\r\n", c));
  client.send("0\r\nTrailer: x\r\n\r\n");
  EXPECT_EQ(client.receive().status, 200);
  client.send(head + "zz\r\n");
  expect_refused(client.receive(), 400, "no HTTP request");
  EXPECT_TRUE(client.is_closed());
  HttpClient large(server.port());
  large.send(head + "7d0\r\n" + std::string(2000, ' ') + "\r\n1\r\n");
  expect_refused(large.receive(), 413, "2000 bytes");
  HttpClient endless(server.port());
  try {
    endless.send(head + "1;" + std::string(1 << 20, 'x'));
  } catch (const std::system_error&) {  // refused before it was all sent
  }
  expect_refused(endless.receive(), 431, "a header is larger");
}

TEST_F(ServerTest, AnswersWhoeverAsksBeforeSending) {
  ServerOptions given = options();
  given.limits.body_bytes = 2000;
  const Server server(given);
  const std::string body = infer_json({0, 1, 0});
  HttpClient client(server.port());
  client.send(
      fmt::format("POST {} HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n", kInfer, body.size()));
  EXPECT_EQ(client.receive().status, 100);
  client.send(body);
  EXPECT_EQ(client.receive().status, 200);
  client.send(fmt::format("POST {} HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 9999\r\n\r\n", kInfer));
  expect_refused(client.receive(), 413, "2000 bytes");
  HttpClient other(server.port());
  other.send(fmt::format("POST {} HTTP/1.1\r\nExpect: a-miracle\r\nContent-Length: 9\r\n\r\n", kInfer));
  expect_refused(other.receive(), 417, "100-continue");
}

TEST_F(ServerTest, RefusesWhatIsNoRequest) {
  const Server server(options());
  const std::string start = fmt::format("POST {} HTTP/1.1\r\n", kInfer);
  for (const auto& [text, status] : std::vector<std::pair<std::string, int>>{
           {"nonsense\r\n\r\n", 400},
           {std::string("\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03", 11) + "\r\n\r\n", 400},  // TLS
           {"GET / HTTP/3.0\r\n\r\n", 505},
           {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
           {start + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
           {start + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
           {start + "Content-Length: -1\r\n\r\n", 400},
           {start + "Content-Length: 99999999999999999999999\r\n\r\n", 400},
           {start + "Transfer-Encoding: gzip\r\n\r\n", 501},
           {start + "Content-Length: 70000000\r\n\r\n", 413},
           {"GET /" + std::string(20000, 'x') + " HTTP/1.1\r\n\r\n", 431},
           {"GET / HTTP/1.1\r\nX: " + std::string(20000, 'x') + "\r\n\r\n", 431}}) {
    HttpClient client(server.port());
    client.send(text);
    const HttpAnswer answer = client.receive();
    EXPECT_EQ(answer.status, status) << text.substr(0, 80) << "\n" << answer.body;
    EXPECT_TRUE(Json::parse(answer.body).contains("error"));
    EXPECT_EQ(answer.fields.at("connection"), "close");
    EXPECT_TRUE(client.is_closed());
  }
  expect_answers(server.port());
}

// ---- Clients that do not behave

TEST_F(ServerTest, HalfRequestsRunOutOfTime) {
  ServerOptions given = options();
  given.limits.header_seconds = given.limits.request_seconds = given.limits.idle_seconds = 0.3;
  const Server server(given);
  HttpClient silent(server.port()), half_header(server.port()), half_body(server.port()), idle(server.port());
  half_header.send("POST /v2");
  half_body.send(fmt::format("POST {} HTTP/1.1\r\nContent-Length: 100\r\n\r\n{{", kInfer));
  EXPECT_EQ(idle.get("/v2").status, 200);
  expect_refused(half_header.receive(), 408, "header");
  expect_refused(half_body.receive(), 408, "body");
  EXPECT_TRUE(silent.is_closed());
  EXPECT_TRUE(idle.is_closed());
  expect_answers(server.port());
}

// A byte now and then does not give more time.
TEST_F(ServerTest, SlowClientsRunOutOfTimeAndHoldUpNobody) {
  ServerOptions given = options();
  given.limits.request_seconds = 0.5;
  const Server server(given);
  std::vector<std::unique_ptr<HttpClient>> slow;
  for (int i = 0; i < 50; ++i) {
    slow.push_back(std::make_unique<HttpClient>(server.port()));
    slow.back()->send(fmt::format("POST {} HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n", kInfer));
  }
  for (int round = 0; round < 4; ++round) {
    for (const auto& client : slow) client->send(" ");
    expect_answers(server.port());
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  for (const auto& client : slow) EXPECT_EQ(client->receive().status, 408);
}

TEST_F(ServerTest, ClientsMayDisappear) {
  const Server server(options());
  const std::string body = infer_json({0, 1, 0});
  const std::string whole = fmt::format("POST {} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{}", kInfer, body.size(), body);
  for (size_t i = 0; i < 100; ++i) HttpClient(server.port()).send(whole.substr(0, i * whole.size() / 99));
  expect_answers(server.port());
  HttpClient client(server.port());
  // The others' ends are noticed in a moment.
  std::string metrics;
  for (int i = 0; i < 100 && metrics.find("dppl_connections 1\n") == std::string::npos; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    metrics = client.get("/metrics").body;
  }
  EXPECT_NE(metrics.find("dppl_connections 1\n"), std::string::npos) << metrics;
  EXPECT_NE(metrics.find("dppl_requests_under_way 1\n"), std::string::npos) << "the one for metrics";
  EXPECT_NE(metrics.find("dppl_request_memory_bytes 0\n"), std::string::npos) << metrics;
}

TEST_F(ServerTest, IdleConnectionsMakeRoom) {
  ServerOptions given = options();
  given.limits.connections = 4;
  const Server server(given);
  HttpClient first(server.port());
  EXPECT_EQ(first.get("/v2").status, 200);
  HttpClient second(server.port()), third(server.port()), fourth(server.port());
  for (HttpClient* client : {&second, &third, &fourth}) EXPECT_EQ(client->get("/v2").status, 200);
  HttpClient fifth(server.port());
  EXPECT_EQ(fifth.get("/v2").status, 200);
  EXPECT_TRUE(first.is_closed()) << "it was idle for longest";
  EXPECT_EQ(fourth.get("/v2").status, 200);
}

TEST_F(ServerTest, TooManyBusyConnectionsAreToldSo) {
  ServerOptions given = options();
  given.limits.connections = 4;
  const Server server(given);
  std::vector<std::unique_ptr<HttpClient>> busy;
  const std::string body = infer_json({0, 1, 0});
  for (int i = 0; i < 4; ++i) {
    busy.push_back(std::make_unique<HttpClient>(server.port()));
    EXPECT_EQ(busy.back()->get("/v2").status, 200);
    busy.back()->send(
        fmt::format("POST {} HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n", kInfer, body.size()));
    EXPECT_EQ(busy.back()->receive().status, 100) << "it has begun";
  }
  HttpClient fifth(server.port());
  const HttpAnswer answer = fifth.receive();
  expect_refused(answer, 503, "all 4 connections are in use");
  EXPECT_EQ(answer.fields.at("retry-after"), "1");
  for (const auto& client : busy) {
    client->send(body);
    EXPECT_EQ(client->receive().status, 200);
  }
}

TEST_F(ServerTest, MemoryOfRequestsHasABound) {
  ServerOptions given = options();
  given.limits.memory_bytes = 1 << 20;
  const Server server(given);
  HttpClient client(server.port());
  client.send(fmt::format("POST {} HTTP/1.1\r\nContent-Length: 4000000\r\n\r\n", kInfer));
  try {
    client.send(std::string(4000000, ' '));
  } catch (const std::system_error&) {  // refused before it was all sent
  }
  expect_refused(client.receive(), 503, "memory");
  // What is announced costs nothing until it comes.
  std::vector<std::unique_ptr<HttpClient>> claims;
  for (int i = 0; i < 10; ++i) {
    claims.push_back(std::make_unique<HttpClient>(server.port()));
    claims.back()->send(fmt::format("POST {} HTTP/1.1\r\nContent-Length: 60000000\r\n\r\n", kInfer));
  }
  expect_answers(server.port());
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

// ---- The page

TEST_F(ServerTest, WithoutAPageTheModelsAreListed) {
  Model model = testing::public_k_model();
  save_model(model, files_.path("<b>.dppl"));
  save_model(testing::seeded_model(), files_.path("seeded.dppl"));
  ServerOptions given = options();
  given.models = {{"<b>", files_.path("<b>.dppl")}, {"seeded", files_.path("seeded.dppl")}};
  const Server server(given);
  HttpClient client(server.port());
  const HttpAnswer page = client.get("/");
  EXPECT_EQ(page.fields.at("content-type"), "text/html; charset=utf-8");
  EXPECT_TRUE(page.fields.at("content-security-policy").starts_with("default-src 'none'"));
  EXPECT_NE(page.body.find("<h2>&lt;b&gt;</h2>"), std::string::npos) << page.body;
  EXPECT_EQ(page.body.find("<b>"), std::string::npos) << page.body;
  EXPECT_NE(page.body.find("NOT PRIVATE"), std::string::npos);
  EXPECT_NE(notes().find("seeded: NOT PRIVATE"), std::string::npos);
  EXPECT_EQ(client.get("/v2/models/%3Cb%3E/ready").status, 200);
}

TEST_F(ServerTest, ShowsTheFilesOfAPageAndNoOthers) {
  const std::filesystem::path folder = files_.path("page");
  std::filesystem::create_directories(folder / "sub");
  std::filesystem::create_directories(folder / ".git");
  files_.file("page/index.html", "<!doctype html>hello");
  files_.file("page/sub/index.html", "below");
  files_.file("page/sub/run.mjs", "1");
  files_.file("page/model.onnx", std::string("\0\1", 2));
  files_.file("page/ort.wasm", "w");
  files_.file("page/a b.png", "p");
  files_.file("page/.git/config", "secret");
  files_.file("page/.hidden", "secret");
  files_.file("secret.txt", "secret");
  std::filesystem::create_symlink(files_.path("secret.txt"), folder / "link.txt");
  ServerOptions given = options();
  given.page = folder.string();
  const Server server(given);
  HttpClient client(server.port());
  const HttpAnswer index = client.get("/");
  EXPECT_EQ(index.body, "<!doctype html>hello");
  EXPECT_EQ(index.fields.at("content-type"), "text/html; charset=utf-8");
  EXPECT_NE(index.fields.at("content-security-policy").find("connect-src 'self'"), std::string::npos);
  EXPECT_EQ(index.fields.at("x-content-type-options"), "nosniff");
  EXPECT_EQ(client.get("/index.html?x=1").body, index.body);
  EXPECT_EQ(client.get("/sub/").body, "below");
  for (const auto& [path, type] :
       std::vector<std::pair<const char*, const char*>>{{"/sub/run.mjs", "text/javascript; charset=utf-8"},
                                                        {"/model.onnx", "application/octet-stream"},
                                                        {"/ort.wasm", "application/wasm"},
                                                        {"/a%20b.png", "image/png"}}) {
    const HttpAnswer answer = client.get(path);
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_EQ(answer.fields.at("content-type"), type);
  }
  EXPECT_EQ(client.get("/", "HEAD").fields.at("content-length"), "20");
  client.send("GET / HTTP/1.1\r\nIf-None-Match: " + index.fields.at("etag") + "\r\n\r\n");
  EXPECT_EQ(client.receive().status, 304);
  for (const char* path : {"/../secret.txt", "/%2e%2e/secret.txt", "/sub/../../secret.txt", "/..%2fsecret.txt",
                           "//secret.txt", "/.hidden", "/.git/config", "/link.txt", "/secret.txt", "/index.html%00.png",
                           "/sub", "/sub/../index.html", "/\\..\\secret.txt"}) {
    const HttpAnswer answer = client.get(path);
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_EQ(answer.body.find("secret"), std::string::npos) << path;
  }
  EXPECT_EQ(client.get("/v2").status, 200) << "the protocol is there too";
}

TEST_F(ServerTest, APageNeedsAnIndex) {
  ServerOptions given = options();
  given.page = files_.path("nowhere");
  expect_error<IoError>([&] { Server{given}; }, {"nowhere", "folder"});
  std::filesystem::create_directory(given.page);
  expect_error<InvalidInput>([&] { Server{given}; }, {"nowhere", "index.html"});
}

// ---- Reloads and stops

TEST_F(ServerTest, ReloadsWithoutDroppingRequests) {
  Server server(options());
  Model other = testing::mean_model();
  std::swap_ranges(other.prototypes.begin(), other.prototypes.begin() + 3, other.prototypes.begin() + 3);
  std::atomic<bool> stop{false};
  std::atomic<int> bad{0}, zeros{0}, ones{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back([&] {
      HttpClient client(server.port());
      while (!stop) {
        const HttpAnswer answer = client.post(kInfer, infer_json({1, 0, 0}, kLabel));
        if (answer.status != 200) {
          ++bad;
        } else {
          ++(Json::parse(answer.body)["outputs"][0]["data"][0] == 0 ? zeros : ones);
        }
      }
    });
  }
  HttpClient client(server.port());
  const auto version = [&] { return Json::parse(client.get("/v2/models/m").body)["versions"][0].get<std::string>(); };
  const std::string before = version();
  for (int i = 0; i < 10; ++i) {
    save_model(i % 2 == 0 ? other : testing::mean_model(), files_.path("m.dppl"));
    EXPECT_TRUE(server.reload());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(version(), before) << "the first model again";
  stop = true;
  for (std::thread& one : clients) one.join();
  EXPECT_EQ(bad, 0);
  EXPECT_GT(zeros, 0);
  EXPECT_GT(ones, 0);
  save_model(other, files_.path("m.dppl"));
  EXPECT_TRUE(server.reload());
  EXPECT_NE(version(), before);
}

TEST_F(ServerTest, AFileThatCannotBeReadLeavesTheOldModel) {
  save_model(testing::mean_model(), files_.path("n.dppl"));
  ServerOptions given = options();
  given.models.push_back({"n", files_.path("n.dppl")});
  Server server(given);
  HttpClient client(server.port());
  files_.file("m.dppl", "damaged");
  save_model(random_model(5, 2, 1), files_.path("n.dppl"));
  EXPECT_FALSE(server.reload());
  EXPECT_NE(notes().find("m.dppl"), std::string::npos) << notes();
  EXPECT_NE(notes().find("what was served before stays"), std::string::npos) << notes();
  expect_answers(server.port());
  EXPECT_EQ(Json::parse(client.get("/v2/models/n").body)["inputs"][0]["shape"], Json({-1, 5})) << "the good one is new";
  EXPECT_NE(client.get("/metrics").body.find("dppl_reload_failures_total 1\n"), std::string::npos);
}

TEST_F(ServerTest, AStopAnswersWhatIsUnderWay) {
  ServerOptions given = options();
  given.patience_seconds = 0.5;  // so that a request is under way for that long
  Server server(given);
  HttpClient idle(server.port()), client(server.port()), half(server.port());
  EXPECT_EQ(idle.get("/v2").status, 200);
  const std::string body = infer_json({0, 1, 0}, kLabel);
  client.send(fmt::format("POST {} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{}", kInfer, body.size(), body));
  half.send(fmt::format("POST {} HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n", kInfer, body.size()));
  EXPECT_EQ(half.receive().status, 100);
  server.stop();
  EXPECT_TRUE(idle.is_closed());
  const HttpAnswer answer = client.receive();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.fields.at("connection"), "close");
  half.send(body);
  EXPECT_EQ(half.receive().status, 200);
  server.wait();
  EXPECT_THROW(HttpClient(server.port()).get("/v2"), std::exception);
}

TEST_F(ServerTest, AStopDoesNotWaitForever) {
  ServerOptions given = options();
  given.limits.stop_seconds = 0.2;
  const auto begin = std::chrono::steady_clock::now();
  std::optional<HttpClient> half;
  {
    const Server server(given);
    half.emplace(server.port());
    half->send(fmt::format("POST {} HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n", kInfer));
    EXPECT_EQ(half->receive().status, 100);
  }
  EXPECT_GT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(200));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST_F(ServerTest, NothingThatClientsSendIsTold) {
  const Server server(options());
  HttpClient client(server.port());
  client.post(kInfer, infer_json({1, 0, 0}));
  client.post(kInfer, "{\"id\": \"private\"");
  client.get("/private");
  HttpClient(server.port()).send("private nonsense\r\n\r\n");
  expect_answers(server.port());
  EXPECT_EQ(notes(), "");
}

// ---- What cannot be served

TEST_F(ServerTest, RefusesAddressesThatCannotBeUsed) {
  ServerOptions given = options();
  given.address = "0.0.0.0";
  expect_error<InvalidInput>([&] { Server{given}; }, {"0.0.0.0", "other machines"});
  given.address = "::";
  expect_error<InvalidInput>([&] { Server{given}; }, {"other machines"});
  given.address = "example.org";
  expect_error<InvalidInput>([&] { Server{given}; }, {"'example.org' is no address"});
  given.address = "127.0.0.1";
  const Server server(given);
  given.port = server.port();
  expect_error<IoError>([&] { Server{given}; }, {"127.0.0.1", "cannot listen"});
}

TEST_F(ServerTest, RefusesModelsThatCannotBeUsed) {
  ServerOptions given = options();
  given.models.push_back(given.models[0]);
  expect_error<InvalidInput>([&] { Server{given}; }, {"two models are called 'm'"});
  given.models = {{"a/b", files_.path("m.dppl")}};
  expect_error<InvalidInput>([&] { Server{given}; }, {"'a/b' cannot be the name"});
  given.models = {{"", files_.path("m.dppl")}};
  expect_error<InvalidInput>([&] { Server{given}; }, {"cannot be the name"});
  given.models = {{"x", files_.path("missing.dppl")}};
  expect_error<IoError>([&] { Server{given}; }, {"missing.dppl"});
  given.models = {};
  expect_error<InvalidInput>([&] { Server{given}; }, {"no model"});
}

}  // namespace
}  // namespace dppl
