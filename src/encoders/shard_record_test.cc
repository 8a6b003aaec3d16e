#include "encoders/shard_record.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/embedding.h"
#include "support/expect_error.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::MeanColour;
using testing::MemoryImages;
using testing::options_for;
using testing::PeoplesImages;
using testing::read_text;
using testing::TempDir;

// The values of a .npy that this library wrote.
std::string values_of(const std::string& path) { return read_text(path).substr(128); }

TEST(Embed, ShardsAreTheWholeInParts) {
  const TempDir whole, parts;
  const PeoplesImages source(27, {3, 9, 10});
  MeanColour encoder;
  const auto options_in = [](const TempDir& dir, const std::string& name) {
    EmbedOptions options;
    options.output = dir.path(name + "-x.npy");
    options.labels = dir.path(name + "-y.npy");
    options.people = dir.path(name + "-p.txt");
    options.classes = ClassSet::numbered(3);
    options.batch = 4;
    options.skip_bad = true;
    return options;
  };
  const EmbedOptions all = options_in(whole, "all");
  embed(source, encoder, all);
  for (const size_t count : {1u, 2u, 3u, 7u}) {
    std::string rows, labels, people;
    for (size_t number = 1; number <= count; ++number) {
      EmbedOptions options = options_in(parts, std::to_string(number) + "of" + std::to_string(count));
      options.shard = {number, count};
      embed(source, encoder, options);
      rows += values_of(options.output);
      labels += values_of(options.labels);
      people += read_text(options.people);
    }
    EXPECT_EQ(rows, values_of(all.output)) << count;
    EXPECT_EQ(labels, values_of(all.labels)) << count;
    EXPECT_EQ(people, read_text(all.people)) << count;
  }
  EmbedOptions options = options_in(parts, "more");
  options.shard = {1, 8};
  expect_error<InvalidInput>([&] { embed(source, encoder, options); },
                             {"shard 1/8", "27 images", "multiples of 4", "at most 7"});
}

TEST(Embed, AShardThatIsThereIsLeftAlone) {
  const TempDir dir;
  const MemoryImages source(20, {13});
  EmbedOptions options = options_for(dir);
  options.labels = dir.path("y.npy");
  options.skip_bad = true;
  options.shard = {2, 2};
  std::vector<std::string> notes;
  options.note = [&](const std::string& what) { notes.push_back(what); };
  // How many images are encoded.
  const auto encoded = [&](const ImageSource& from) {
    MeanColour encoder;
    notes.clear();
    const EmbedResult result = embed(from, encoder, options);
    EXPECT_EQ(result.rows + result.skipped.size(), 12u);
    return encoder.images;
  };
  EXPECT_EQ(encoded(source), 11u);
  EXPECT_EQ(dir.entries(), 4u);  // rows, labels, names, record
  const std::string rows = read_text(options.output), labels = read_text(options.labels);
  const auto written = std::filesystem::last_write_time(options.output);
  EXPECT_EQ(encoded(source), 0u);
  EXPECT_NE(notes.at(0).find("x.npy: is there already"), std::string::npos);
  EXPECT_EQ(std::filesystem::last_write_time(options.output), written);
  // Labels that are gone are written again, without encoding anything.
  std::filesystem::remove(options.labels);
  EXPECT_EQ(encoded(source), 0u);
  EXPECT_EQ(read_text(options.labels), labels);
  EXPECT_EQ(dir.entries(), 4u);
  // Rows that were changed, cut short or are gone, and a record that was changed, count for nothing.
  std::string changed = rows;
  changed.back() = static_cast<char>(changed.back() ^ 1);
  for (const std::string& bad : {changed, rows.substr(0, rows.size() - 1), std::string()}) {
    dir.file("x.npy", bad);
    EXPECT_EQ(encoded(source), 11u);
    EXPECT_EQ(read_text(options.output), rows);
  }
  const std::string record = read_text(dir.path("x.npy.shard"));
  for (size_t i = 0; i < record.size(); i += 5) {
    std::string bad = record;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    dir.file("x.npy.shard", bad);
    EXPECT_EQ(encoded(source), 11u) << i;
    EXPECT_EQ(read_text(dir.path("x.npy.shard")), record);
  }
  // Other images, another part, or no leave to skip.
  EXPECT_EQ(encoded(MemoryImages(24)), 12u);
  options.shard = {1, 2};
  EXPECT_EQ(encoded(MemoryImages(24)), 12u);
  options.shard = {2, 2};
  EXPECT_EQ(encoded(source), 11u);
  options.skip_bad = false;
  MeanColour encoder;
  EXPECT_THROW(embed(source, encoder, options), InvalidInput);
}

}  // namespace
}  // namespace dppl
