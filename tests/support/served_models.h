#pragma once

#include <gtest/gtest.h>

#include <mutex>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "dppl/serving.h"
#include "support/http_client.h"
#include "support/sample_models.h"
#include "support/temp_dir.h"

// A server of a small model in this process, and what clients send it.
namespace dppl::testing {

inline std::vector<float> random_values(size_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> distribution;
  std::vector<float> values(count);
  for (float& value : values) value = distribution(generator);
  return values;
}

inline Model random_model(size_t dim, size_t classes, uint32_t seed) {
  Model model = mean_model();
  model.transform = PublicTransform::restore({}, dim, {}, {});
  model.classes = ClassSet::numbered(classes);
  model.prototypes = random_values(dim * classes, seed);
  model.sums.clear();
  return model;
}

class ServerTest : public ::testing::Test {
 protected:
  void SetUp() override { save_model(mean_model(), files_.path("m.dppl")); }

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

inline std::string infer_json(const nlohmann::json& data, const nlohmann::json& outputs = nullptr) {
  const size_t rows = data.size() / 3;
  nlohmann::json body{
      {"inputs", {{{"name", "embedding"}, {"shape", {rows, 3}}, {"datatype", "FP32"}, {"data", data}}}}};
  if (!outputs.is_null()) body["outputs"] = outputs;
  return body.dump();
}

inline const nlohmann::json kLabel = {{{"name", "label"}}};
inline constexpr const char* kInfer = "/v2/models/m/infer";

inline void expect_refused(const HttpAnswer& answer, int status, std::string_view word) {
  EXPECT_EQ(answer.status, status) << answer.body;
  EXPECT_EQ(answer.fields.at("content-type"), "application/json");
  const auto told = nlohmann::json::parse(answer.body);
  ASSERT_TRUE(told.contains("error")) << answer.body;
  EXPECT_NE(told["error"].get<std::string>().find(word), std::string::npos) << answer.body;
}

inline void expect_answers(uint16_t port) {
  HttpClient client(port);
  const HttpAnswer answer = client.post(kInfer, infer_json({0, 2, 0}, kLabel));
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(nlohmann::json::parse(answer.body)["outputs"][0]["data"], nlohmann::json::array({1}));
}

}  // namespace dppl::testing
