// End to end on real embeddings, where they lie beside the project (../shared/data): CIFAR-100 with a long tail of
// 1:100 and a pool of 50,000, ρ = 0.02, mean balanced accuracy over 5 seeds. Skipped elsewhere.
#include <gtest/gtest.h>

#include <filesystem>

#include "dppl/classify.h"
#include "dppl/experiments.h"
#include "dppl/fit.h"
#include "dppl/metrics.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

constexpr int kSeeds = 5;

class RealData : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(directory_ / "pool_x.npy")) {
      GTEST_SKIP() << "no embeddings at ../shared/data beside the project: this test needs CIFAR-100 and a pool there";
    }
  }

  std::string path(const char* name) const { return (directory_ / name).string(); }

  double mean_balanced_accuracy(const Settings& settings) const {
    const ClassSet classes = ClassSet::numbered(100);
    const PublicData pool = PublicData::open(path("pool_x.npy"));
    const auto train_labels = read_labels(path("cifar100_train_y.npy"), classes),
               truth = read_labels(path("cifar100_test_y.npy"), classes);
    const Embeddings test = Embeddings::open(path("cifar100_test_x.npy"));
    const testing::TempDir files;
    double total = 0;
    for (int seed = 1; seed <= kSeeds; ++seed) {
      const auto rows = long_tail_rows(train_labels, classes, 100, static_cast<uint64_t>(seed));
      write_npy(files.path("rows.npy"), std::vector<int64_t>(rows.begin(), rows.end()));
      const PrivateData data = PrivateData::open(
          {path("cifar100_train_x.npy"), path("cifar100_train_y.npy"), files.path("rows.npy")}, classes);
      SeededRandom random(static_cast<uint64_t>(seed));
      const Model model =
          fit(data, pool, {.settings = settings}, Budget::unledgered(BudgetSpec::zcdp(Rational(1, 50))), random);
      const auto predicted = Classifier(model).predict(test);
      total += evaluate(std::vector<int64_t>(predicted.begin(), predicted.end()), truth, classes).balanced_accuracy;
    }
    RecordProperty("balanced_accuracy", std::to_string(total / kSeeds));
    std::cout << "mean balanced accuracy " << 100 * total / kSeeds << "%\n";
    return total / kSeeds;
  }

 private:
  const std::filesystem::path directory_ = std::filesystem::path(DPPL_SOURCE_DIR) / "../shared/data";
};

TEST_F(RealData, PublicPrototypes) {
  EXPECT_NEAR(mean_balanced_accuracy(PublicSettings{.clip = {Rational(14, 10), Rational(17, 10)}}), 0.27, 0.02);
}

TEST_F(RealData, NoisySumsOfWhitenedRows) {
  EXPECT_GE(mean_balanced_accuracy(MeanSettings{.transform = TransformSpec::parse("whiten:64")}), 0.30);
}

}  // namespace
}  // namespace dppl
