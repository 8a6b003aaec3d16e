// The page of a whole server in this process.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/expect_error.h"
#include "support/served_models.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::HttpAnswer;
using testing::HttpClient;
using testing::ServerTest;

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

}  // namespace
}  // namespace dppl
