#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "dppl/embeddings.h"
#include "dppl/images.h"
#include "export/page/embedded.h"
#include "report/png.h"
#include "support/browser.h"
#include "support/browser_session.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

// The page that classifies, in a browser, and what the program says of the same files.
namespace dppl::testing {

inline constexpr const char* kAnswered = "!document.getElementById('answer').hidden";

inline std::string run_well(std::vector<std::string> args) {
  const RunResult result = run_program(std::move(args));
  EXPECT_EQ(result.status, 0) << result.err;
  return result.out;
}

// Two numbers that look random.
inline size_t scrambled(size_t seed) { return (seed * 2654435761u) >> 7; }

// Stripes across, stripes down, or a disc, in two colours; no two are alike.
inline Image picture(size_t number, size_t kind) {
  const size_t width = 20 + scrambled(number) % 90, height = 20 + scrambled(number + 7) % 90;
  Image image{width, height, 3, {}};
  for (size_t y = 0; y < height; ++y) {
    for (size_t x = 0; x < width; ++x) {
      const size_t right = 64 * x / width, down = 64 * y / height;
      const size_t away = (right - 32) * (right - 32) + (down - 32) * (down - 32);
      const bool lit = kind == 0   ? (right + number) / 8 % 2 == 0
                       : kind == 1 ? (down + number) / 8 % 2 == 0
                                   : away < 400;
      for (size_t c = 0; c < 3; ++c)
        image.pixels.push_back(
            static_cast<uint8_t>(scrambled(3 * number + c) % 100 + (lit ? 130 : 0) + (x * y + c) % 20));
    }
  }
  return image;
}

// A model of three kinds of pictures, with the built-in encoder, and its page.
class Pictures {
 public:
  explicit Pictures(const TempDir& dir, std::vector<std::string> encoder = {"--encoder", "builtin:hog"})
      : dir_(dir), encoder_(std::move(encoder)) {
    for (const char* folder : {"pool", "train", "train/across", "train/down", "train/disc", "new"})
      std::filesystem::create_directory(dir.path(folder));
    for (size_t i = 0; i < 30; ++i) dir.file("pool/" + std::to_string(100 + i) + ".png", encode_png(picture(i, i % 3)));
    for (size_t i = 0; i < 90; ++i) {
      const std::string folder = i % 3 == 0 ? "across" : i % 3 == 1 ? "down" : "disc";
      dir.file("train/" + folder + "/" + std::to_string(i) + ".png", encode_png(picture(1000 + i, i % 3)));
    }
    dir.file("classes.txt", "across\ndown\ndisc\n");
    embed("pool", {});
    embed("train", {"--labels", dir.path("y.npy"), "--classes", dir.path("classes.txt")});
    run_well({"fit", "--method", "public", "--epsilon", "20", "--train", dir.path("train.npy"), "--labels",
              dir.path("y.npy"), "--classes", dir.path("classes.txt"), "--pool", dir.path("pool.npy"), "-o",
              dir.path("model.dppl")});
    run_with_encoder({"export", dir.path("model.dppl"), "--page", dir.path("page"), "--images", dir.path("pool"),
                      "--title", "Stripes & <discs>"});
  }

  std::string page() const { return dir_.path("page/index.html"); }
  // In the order in which the program sees them in their folder.
  const std::vector<std::string>& files() const { return files_; }
  void add(const std::string& name, const std::string& bytes) { files_.push_back(dir_.file("new/" + name, bytes)); }

  void embed(const std::string& what, const std::vector<std::string>& more) const {
    std::vector<std::string> args = {"embed", dir_.path(what), "-o", dir_.path(what + ".npy")};
    args.insert(args.end(), more.begin(), more.end());
    run_with_encoder(args);
  }
  // What the program says of the files: labels and probabilities.
  std::vector<int64_t> predict() const {
    embed("new", {});
    run_well({"predict", dir_.path("model.dppl"), "--in", dir_.path("new.npy"), "-o", dir_.path("labels.npy"),
              "--probabilities", dir_.path("p.npy")});
    return read_labels(dir_.path("labels.npy"), ClassSet::numbered(3));
  }

 private:
  void run_with_encoder(std::vector<std::string> args) const {
    args.insert(args.end(), encoder_.begin(), encoder_.end());
    run_well(std::move(args));
  }

  const TempDir& dir_;
  std::vector<std::string> encoder_;
  std::vector<std::string> files_;
};

class PageInBrowser : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!have_browser()) GTEST_SKIP() << "chromium is not installed (scripts/setup.sh --test installs it)";
    if (page::runtime().empty()) GTEST_SKIP() << "built without ONNX Runtime Web (scripts/setup-ort-web.sh)";
  }

  // Opens a page and shows it files; returns what it found of each.
  nlohmann::json answers_to(BrowserSession& browser, const std::string& page, const std::vector<std::string>& files) {
    browser.open("file://" + page);
    browser.choose_files("files", files);
    browser.wait_until("records.length > 0 && records.every((record) => record.answer)");
    return browser.evaluate("records.map((record) => record.answer)");
  }

  const TempDir dir;
};

}  // namespace dppl::testing
