// The page that classifies, on real data.
#include <array>
#include <cmath>
#include <iostream>

#include "support/page_in_browser.h"

namespace dppl {
namespace {

using nlohmann::json;
using testing::BrowserSession;
using testing::PageInBrowser;
using testing::run_well;

// Fashion-MNIST, where Debian's package of it is installed: all 10,000 test images as embeddings, and hundreds as
// files.
class PageOnRealData : public PageInBrowser {
 protected:
  void SetUp() override {
    PageInBrowser::SetUp();
    if (IsSkipped()) return;
    if (!std::filesystem::exists(train_)) GTEST_SKIP() << "no Fashion-MNIST (scripts/setup.sh --demo installs it)";
    embed(train_, "pool.npy", {"--rows", "0:4000"});
    embed(train_, "x.npy", {"--rows", "4000:8000", "--labels", dir.path("y.npy")});
    run_well({"fit", "--method", "auto", "--rho", "0.5", "--train", dir.path("x.npy"), "--labels", dir.path("y.npy"),
              "--classes", "10", "--pool", dir.path("pool.npy"), "-o", dir.path("fashion.dppl")});
  }

  void embed(const std::string& images, const std::string& out, const std::vector<std::string>& more) const {
    std::vector<std::string> args = {"embed", images, "--encoder", "builtin:hog", "-o", dir.path(out)};
    args.insert(args.end(), more.begin(), more.end());
    run_well(args);
  }

  // The page's labels are those of the program for the same rows, but for ties within 1e-5.
  void expect_program_labels(const json& labels, const std::string& rows) const {
    run_well({"predict", dir.path("fashion.dppl"), "--in", rows, "-o", dir.path("labels.npy"), "--scores",
              dir.path("scores.npy")});
    const auto expected = read_labels(dir.path("labels.npy"), ClassSet::numbered(10));
    const Embeddings scores = Embeddings::open(dir.path("scores.npy"));
    ASSERT_EQ(labels.size(), expected.size());
    size_t same = 0, ties = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      const auto label = labels[i].get<size_t>();
      std::array<float, 10> row{};
      scores.row(i, row);
      const bool equal = static_cast<int64_t>(label) == expected[i];
      same += equal;
      ties += !equal && std::abs(row[label] - row[static_cast<size_t>(expected[i])]) < 1e-5f;
    }
    EXPECT_EQ(same + ties, expected.size());
    std::cout << same << " of " << expected.size() << " labels are the program's, " << ties << " are ties\n";
  }

  json labels_of(const std::string& page, const std::vector<std::string>& files, size_t count) {
    BrowserSession browser(dir);
    browser.open("file://" + page);
    browser.choose_files("files", files);
    browser.wait_until("!document.getElementById('all').hidden && records.length === " + std::to_string(count));
    return browser.evaluate("records.map((record) => record.answer.label)");
  }

  const std::string folder_ = "/usr/share/datasets/fashion-mnist/", train_ = folder_ + "train-images-idx3-ubyte.gz",
                    test_ = folder_ + "t10k-images-idx3-ubyte.gz";
};

TEST_F(PageOnRealData, AgreesOnAllEmbeddings) {
  embed(test_, "test.npy", {});
  run_well({"export", dir.path("fashion.dppl"), "--page", dir.path("page")});
  expect_program_labels(labels_of(dir.path("page/index.html"), {dir.path("test.npy")}, 10000), dir.path("test.npy"));
}

TEST_F(PageOnRealData, AgreesOnHundredsOfImageFiles) {
  constexpr size_t kImages = 1000;
  run_well({"export", dir.path("fashion.dppl"), "--encoder", "builtin:hog", "--page", dir.path("page")});
  const auto source = open_images(test_);
  std::filesystem::create_directory(dir.path("new"));
  std::vector<std::string> files;
  for (size_t i = 0; i < kImages; ++i)
    files.push_back(dir.file("new/" + std::to_string(10000 + i) + ".png", encode_png(source->read(i))));
  embed(dir.path("new"), "new.npy", {});
  expect_program_labels(labels_of(dir.path("page/index.html"), files, kImages), dir.path("new.npy"));
}

}  // namespace
}  // namespace dppl
