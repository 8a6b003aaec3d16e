#include "encoders/label_files.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/embedding.h"
#include "support/expect_error.h"
#include "support/expect_record_refused.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::expect_record_refused;
using testing::MeanColour;
using testing::MemoryImages;
using testing::options_for;
using testing::TempDir;

// Images with names for labels, as folders and lists have them.
class NamedImages : public MemoryImages {
 public:
  explicit NamedImages(std::vector<std::string> labels) : MemoryImages(labels.size()) {
    named_.names = labels;
    std::sort(named_.names.begin(), named_.names.end());
    named_.names.erase(std::unique(named_.names.begin(), named_.names.end()), named_.names.end());
    for (const std::string& label : labels) {
      const auto place = std::find(named_.names.begin(), named_.names.end(), label);
      named_.of.push_back(static_cast<size_t>(place - named_.names.begin()));
    }
  }
  std::optional<std::vector<int64_t>> labels() const override { return std::nullopt; }
  std::optional<NamedLabels> named_labels() const override { return named_; }
  std::optional<ClassSet> classes() const override { return std::nullopt; }

 private:
  NamedLabels named_;
};

std::vector<int64_t> labels_of(const ImageSource& source, const std::optional<ClassSet>& classes) {
  const TempDir dir;
  MeanColour encoder;
  EmbedOptions options = options_for(dir);
  options.labels = dir.path("y.npy");
  options.classes = classes;
  EXPECT_EQ(embed(source, encoder, options).classes, "");
  EXPECT_EQ(dir.entries(), 2u);  // no file of class names
  return read_labels(options.labels);
}

// Neighbouring data sets: one record more must not change the classes, nor the numbers of other records' labels.
TEST(Embed, NamesAreNumberedByTheDeclaredClasses) {
  const ClassSet declared = ClassSet::named({"well", "hiv", "flu"});
  EXPECT_EQ(labels_of(NamedImages({"well", "flu"}), declared), (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(labels_of(NamedImages({"well", "flu", "hiv"}), declared), (std::vector<int64_t>{0, 2, 1}));
  EXPECT_EQ(labels_of(NamedImages({"2", "0"}), ClassSet::numbered(3)), (std::vector<int64_t>{2, 0}));
}

TEST(Embed, RefusesLabelsOutsideOfTheDeclaredClasses) {
  const TempDir dir;
  MeanColour encoder;
  EmbedOptions options = options_for(dir);
  options.labels = dir.path("y.npy");
  const auto refused = [&](const ImageSource& source, std::string_view secret) {
    expect_record_refused([&] { embed(source, encoder, options); }, "y.npy: a label is not one of the classes", secret);
    EXPECT_EQ(dir.entries(), 0u);
  };
  expect_error<InvalidInput>(
      [&] {
        embed(NamedImages({"well", "hiv"}), encoder, options);
      },
      {"y.npy", "labels are names", "declare the classes by name"});
  options.classes = ClassSet::named({"well", "flu"});
  refused(NamedImages({"well", "hiv"}), "picture 1 has label 'hiv'");
  options.classes = ClassSet::numbered(2);
  refused(MemoryImages(5), "picture 2 has label '2'");
  refused(NamedImages({"1", "well"}), "picture 1 has label 'well'");
  // What is not asked for is not looked at.
  options.rows = {0, 1, 3};
  EXPECT_EQ(embed(MemoryImages(5), encoder, options).rows, 3u);
  EXPECT_EQ(read_labels(options.labels), (std::vector<int64_t>{0, 1, 0}));
}

TEST(Embed, TheClassesOfAPublisherAreChecked) {
  class Mislabelled : public MemoryImages {
    using MemoryImages::MemoryImages;
    std::optional<std::vector<int64_t>> labels() const override { return std::vector<int64_t>{0, 3}; }
  };
  const TempDir dir;
  MeanColour encoder;
  EmbedOptions options = options_for(dir);
  options.labels = dir.path("y.npy");
  expect_record_refused([&] { embed(Mislabelled(2), encoder, options); }, "not one of the classes",
                        "picture 1 has label '3'");
}

// A list of numbers can be meant as names.
TEST(Embed, ListedNumbersFollowTheKindOfClasses) {
  class Both : public NamedImages {
   public:
    Both() : NamedImages({"20", "10"}) {}
    std::optional<std::vector<int64_t>> labels() const override { return std::vector<int64_t>{20, 10}; }
  };
  EXPECT_EQ(labels_of(Both(), std::nullopt), (std::vector<int64_t>{20, 10}));
  EXPECT_EQ(labels_of(Both(), ClassSet::numbered(30)), (std::vector<int64_t>{20, 10}));
  EXPECT_EQ(labels_of(Both(), ClassSet::named({"20", "10"})), (std::vector<int64_t>{0, 1}));
}

}  // namespace
}  // namespace dppl
