// Connections to a whole server in this process, of clients that behave well or not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "support/served_models.h"

namespace dppl {
namespace {

using Json = nlohmann::json;
using testing::expect_answers;
using testing::expect_refused;
using testing::HttpAnswer;
using testing::HttpClient;
using testing::infer_json;
using testing::kInfer;
using testing::kLabel;
using testing::ServerTest;

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

}  // namespace
}  // namespace dppl
