// Starts, reloads and stops of a whole server in this process.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "support/expect_error.h"
#include "support/served_models.h"

namespace dppl {
namespace {

using Json = nlohmann::json;
using testing::expect_answers;
using testing::expect_error;
using testing::HttpAnswer;
using testing::HttpClient;
using testing::infer_json;
using testing::kInfer;
using testing::kLabel;
using testing::random_model;
using testing::ServerTest;

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
