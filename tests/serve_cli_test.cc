// dppl serve as a user runs it: what it prints, signals, and clients in their hundreds.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "dppl/embeddings.h"
#include "dppl/model.h"
#include "support/http_client.h"
#include "support/npy_bytes.h"
#include "support/run_program.h"
#include "support/running_program.h"
#include "support/sample_models.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using nlohmann::json;
using testing::HttpAnswer;
using testing::HttpClient;
using testing::npy_bytes;
using testing::raw;
using testing::RunningProgram;
using testing::TempDir;

class ServeCommand : public ::testing::Test {
 protected:
  void SetUp() override { save_model(testing::mean_model(), path("scans.dppl")); }
  std::string path(const char* name) const { return files_.path(name); }

  TempDir files_;
};

// The program with these arguments, on a free port.
class Serving {
 public:
  explicit Serving(std::vector<std::string> args) : program(with_command(std::move(args))) {
    told = program.read_line();
    port = static_cast<uint16_t>(std::stoi(told.substr(told.rfind(':') + 1)));
  }
  RunningProgram program;
  std::string told;
  uint16_t port = 0;

 private:
  static std::vector<std::string> with_command(std::vector<std::string> args) {
    args.insert(args.begin(), "serve");
    args.insert(args.end(), {"--listen", "127.0.0.1:0"});
    return args;
  }
};

constexpr const char* kBody =
    R"({"inputs":[{"name":"embedding","datatype":"FP32","shape":[1,3],"data":[0,2,0]}],"outputs":[{"name":"label"}]})";

int label_of(const HttpAnswer& answer) { return json::parse(answer.body).at("outputs").at(0).at("data").at(0); }

double metric(HttpClient& client, const std::string& name) {
  std::istringstream lines(client.get("/metrics").body);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(name + " ")) return std::stod(line.substr(name.size() + 1));
  }
  ADD_FAILURE() << "no metric " << name;
  return 0;
}

TEST_F(ServeCommand, SaysWhereItListens) {
  save_model(testing::public_model(), path("other.dppl"));
  Serving serving({path("scans.dppl"), "eyes=" + path("other.dppl")});
  EXPECT_EQ(serving.told, fmt::format("listening on http://127.0.0.1:{}", serving.port));
  EXPECT_EQ(serving.program.read_line(), fmt::format("http://127.0.0.1:{}/v2/models/scans", serving.port));
  EXPECT_EQ(serving.program.read_line(), fmt::format("http://127.0.0.1:{}/v2/models/eyes", serving.port));
  HttpClient client(serving.port);
  EXPECT_EQ(label_of(client.post("/v2/models/scans/infer", kBody)), 1);
  EXPECT_EQ(client.get("/v2/models/eyes/ready").status, 200);
}

TEST_F(ServeCommand, SaysItInJson) {
  RunningProgram program({"serve", path("scans.dppl"), "--listen", "localhost:0", "--json"});
  std::string text;
  while (!json::accept(text)) text += program.read_line() + "\n";
  const json told = json::parse(text);
  EXPECT_EQ(told["models"], json::array({"scans"}));
  EXPECT_EQ(told["url"], fmt::format("http://127.0.0.1:{}", told["port"].get<int>()));
  EXPECT_EQ(HttpClient(told["port"].get<uint16_t>()).get("/v2/health/ready").status, 200);
}

TEST_F(ServeCommand, ReloadsOnHangup) {
  Serving serving({path("scans.dppl")});
  HttpClient client(serving.port);
  EXPECT_EQ(label_of(client.post("/v2/models/scans/infer", kBody)), 1);
  Model other = testing::mean_model();
  std::swap_ranges(other.prototypes.begin(), other.prototypes.begin() + 3, other.prototypes.begin() + 3);
  save_model(other, path("scans.dppl"));
  serving.program.signal(SIGHUP);
  serving.program.wait_for_err("dppl: reloaded\n");
  EXPECT_EQ(label_of(client.post("/v2/models/scans/infer", kBody)), 0) << "the same connection, the new model";

  files_.file("scans.dppl", "nonsense");
  serving.program.signal(SIGHUP);
  serving.program.wait_for_err("not everything could be reloaded");
  EXPECT_NE(serving.program.err().find("scans.dppl"), std::string::npos) << serving.program.err();
  EXPECT_EQ(label_of(client.post("/v2/models/scans/infer", kBody)), 0);
}

TEST_F(ServeCommand, EndsWhenAsked) {
  for (const int number : {SIGTERM, SIGINT}) {
    Serving serving({path("scans.dppl")});
    HttpClient idle(serving.port);
    EXPECT_EQ(idle.get("/v2").status, 200);
    serving.program.signal(number);
    EXPECT_EQ(serving.program.wait(), 0);
    EXPECT_EQ(serving.program.err(), "dppl: stopping; requests under way are answered\n");
    EXPECT_TRUE(idle.is_closed());
  }
}

TEST_F(ServeCommand, ASecondSignalEndsAtOnce) {
  Serving serving({path("scans.dppl")});
  HttpClient half(serving.port);
  half.send("POST /v2/models/scans/infer HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n");
  EXPECT_EQ(half.receive().status, 100);
  serving.program.signal(SIGTERM);
  serving.program.wait_for_err("stopping");
  // The signal is let through a moment after the words.
  for (int i = 0; i < 3; ++i) serving.program.signal(SIGTERM);
  EXPECT_EQ(serving.program.wait(), 128 + SIGTERM);
}

// Labels, scores and probabilities are those of dppl predict.
TEST_F(ServeCommand, AnswersAsPredictDoes) {
  constexpr size_t kDim = 24, kClasses = 9, kRows = 700;
  std::mt19937 generator(3);
  std::normal_distribution<float> normal;
  const auto draw = [&](size_t count) {
    std::vector<float> values(count);
    for (float& value : values) value = normal(generator);
    return values;
  };
  Model model = testing::mean_model();
  model.transform = PublicTransform::restore({}, kDim, {}, {});
  model.classes = ClassSet::numbered(kClasses);
  model.prototypes = draw(kDim * kClasses);
  model.sums.clear();
  save_model(model, path("random.dppl"));
  const std::vector<float> rows = draw(kRows * kDim);
  files_.file("x.npy", npy_bytes("<f4", fmt::format("({}, {})", kRows, kDim), raw(rows)));
  ASSERT_EQ(run_program({"predict", path("random.dppl"), "--in", path("x.npy"), "-o", path("y.npy"), "--scores",
                         path("s.npy"), "--probabilities", path("p.npy")})
                .status,
            0);
  const std::vector<int64_t> labels = read_labels(path("y.npy"));
  const Embeddings scores = Embeddings::open(path("s.npy")), probabilities = Embeddings::open(path("p.npy"));
  Serving serving({path("random.dppl")});
  HttpClient client(serving.port);
  for (size_t first = 0; first < kRows;) {
    const size_t count = std::min<size_t>(1 + first, kRows - first);
    const std::vector<float> some(rows.begin() + static_cast<ptrdiff_t>(first * kDim),
                                  rows.begin() + static_cast<ptrdiff_t>((first + count) * kDim));
    const HttpAnswer answer =
        client.post("/v2/models/random/infer", raw(some), "Inference-Header-Content-Length: 0\r\n");
    ASSERT_EQ(answer.status, 200) << answer.body;
    const size_t json_size = std::stoul(answer.fields.at("inference-header-content-length"));
    const json told = json::parse(answer.body.substr(0, json_size));
    size_t at = json_size;
    std::map<std::string, const char*> tensors;
    for (const json& output : told["outputs"]) {
      tensors[output["name"]] = answer.body.data() + at;
      at += output["parameters"]["binary_data_size"].get<size_t>();
    }
    EXPECT_EQ(at, answer.body.size());
    for (size_t i = 0; i < count; ++i) {
      int64_t label = 0;
      std::memcpy(&label, tensors["label"] + i * sizeof label, sizeof label);
      EXPECT_EQ(label, labels[first + i]) << "row " << first + i;
      std::vector<float> expected(kClasses), found(kClasses);
      scores.row(first + i, expected);
      std::memcpy(found.data(), tensors["scores"] + i * kClasses * sizeof(float), kClasses * sizeof(float));
      for (size_t c = 0; c < kClasses; ++c) EXPECT_NEAR(found[c], expected[c], 1e-6f);
      probabilities.row(first + i, expected);
      std::memcpy(found.data(), tensors["probabilities"] + i * kClasses * sizeof(float), kClasses * sizeof(float));
      for (size_t c = 0; c < kClasses; ++c) EXPECT_NEAR(found[c], expected[c], 1e-5f);
    }
    first += count;
  }
}

// A thousand connections: idle ones, half headers, bodies that never come, and such as ask again and again.
TEST_F(ServeCommand, BearsAThousandConnections) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max < 1200) GTEST_SKIP() << "the system allows " << limit.rlim_max << " open files";
  Serving serving({path("scans.dppl"), "--timeout", "5"});
  HttpClient client(serving.port);
  EXPECT_EQ(label_of(client.post("/v2/models/scans/infer", kBody)), 1);
  const double before = metric(client, "process_resident_memory_bytes");
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (size_t i = 0; i < 1000; ++i) {
    clients.push_back(std::make_unique<HttpClient>(serving.port));
    if (i % 4 == 1) clients.back()->send("POST /v2/models/scans/infer HT");
    if (i % 4 == 2) {
      clients.back()->send("POST /v2/models/scans/infer HTTP/1.1\r\nContent-Length: 60000000\r\n\r\n{");
    }
  }
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 3; i < clients.size(); i += 4) {
      ASSERT_EQ(label_of(clients[i]->post("/v2/models/scans/infer", kBody)), 1);
    }
  }
  EXPECT_EQ(metric(client, "dppl_connections"), 1001);
  EXPECT_LT(metric(client, "process_resident_memory_bytes") - before, 100e6);
  for (size_t i = 0; i < clients.size(); i += 4) ASSERT_EQ(clients[i]->get("/v2/health/live").status, 200);
  clients.clear();
  EXPECT_EQ(label_of(client.post("/v2/models/scans/infer", kBody)), 1);
}

TEST_F(ServeCommand, RefusesWhatCannotBeServed) {
  const auto refuses = [&](std::vector<std::string> args, int status, const std::string& words) {
    args.insert(args.begin(), "serve");
    const RunResult result = run_program(args);
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
  };
  refuses({path("scans.dppl"), "--listen", "0.0.0.0:0"}, 1, "--allow-remote");
  refuses({path("scans.dppl"), "--listen", "8080"}, 2, "ADDRESS:PORT");
  refuses({path("scans.dppl"), "--listen", "127.0.0.1:99999"}, 2, "ADDRESS:PORT");
  refuses({path("scans.dppl"), "--listen", "::1:80"}, 2, "[::1]:8080");
  refuses({path("scans.dppl"), "--listen", "nowhere:0"}, 1, "'nowhere' is no address");
  refuses({path("missing.dppl"), "--listen", "127.0.0.1:0"}, 1, "missing.dppl");
  refuses({path("scans.dppl"), path("scans.dppl"), "--listen", "127.0.0.1:0"}, 1, "two models are called 'scans'");
  refuses({path("scans.dppl"), "--encoder", "builtin:hog", "--listen", "127.0.0.1:0"}, 1, "takes rows of 3");
  refuses({path("scans.dppl"), "--encoder", "builtin:none", "--listen", "127.0.0.1:0"}, 1, "not known");
  refuses({path("scans.dppl"), "--page", path("none"), "--listen", "127.0.0.1:0"}, 1, "none");
  refuses({}, 2, "models");
}

// All of CIFAR-100's 10,000 test rows, where they lie beside the project (../shared/data).
TEST(RealDataServe, LabelsAreThoseOfPredict) {
  const std::filesystem::path data = std::filesystem::path(DPPL_SOURCE_DIR) / "../shared/data";
  if (!std::filesystem::exists(data / "cifar100_test_x.npy")) {
    GTEST_SKIP() << "no embeddings at ../shared/data beside the project: this test needs CIFAR-100 there";
  }
  const TempDir files;
  const auto file = [&](const char* name) { return (data / name).string(); };
  ASSERT_EQ(run_program({"fit", "--method", "mean", "--train", file("cifar100_train_x.npy"), "--labels",
                         file("cifar100_train_y.npy"), "--classes", "100", "--rho", "0.5", "-o", files.path("c.dppl")})
                .status,
            0);
  ASSERT_EQ(run_program({"predict", files.path("c.dppl"), "--in", file("cifar100_test_x.npy"), "-o",
                         files.path("y.npy"), "--scores", files.path("s.npy")})
                .status,
            0);
  const std::vector<int64_t> labels = read_labels(files.path("y.npy"));
  const Embeddings rows = Embeddings::open(file("cifar100_test_x.npy")), scores = Embeddings::open(files.path("s.npy"));
  Serving serving({files.path("c.dppl")});
  HttpClient client(serving.port);
  size_t different = 0;
  for (size_t first = 0, turn = 0; first < rows.rows(); ++turn) {
    const size_t count = std::min<size_t>(turn % 3 == 0 ? 3 : 90, rows.rows() - first);
    const size_t bytes = count * rows.dim();
    const std::string head = json{
        {"inputs",
         {{{"name", "embedding"},
           {"datatype", "UINT8"},
           {"shape", {count, rows.dim()}},
           {"parameters", {{"binary_data_size", bytes}}}}}},
        {"outputs",
         {{{"name", "label"}}}}}.dump();
    const std::string body = head + std::string(reinterpret_cast<const char*>(rows.row_bytes(first).data()), bytes);
    const HttpAnswer answer =
        client.post("/v2/models/c/infer", body, fmt::format("Inference-Header-Content-Length: {}\r\n", head.size()));
    ASSERT_EQ(answer.status, 200) << answer.body;
    const json found = json::parse(answer.body)["outputs"][0]["data"];
    ASSERT_EQ(found.size(), count);
    for (size_t i = 0; i < count; ++i) {
      const auto label = found[i].get<int64_t>();
      if (label == labels[first + i]) continue;
      std::vector<float> row(100);
      scores.row(first + i, row);
      const float gap = row[static_cast<size_t>(labels[first + i])] - row[static_cast<size_t>(label)];
      EXPECT_LT(gap, 1e-5f) << "row " << first + i << ": no tie";
      ++different;
    }
    first += count;
  }
  RecordProperty("different", std::to_string(different));
  std::cout << different << " of " << rows.rows() << " labels differ, by ties\n";
}

}  // namespace
}  // namespace dppl
