#include "dppl/embed.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "base/float16.h"
#include "support/embedding.h"
#include "support/expect_error.h"
#include "support/expect_record_refused.h"
#include "support/npy_bytes.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::expect_record_refused;
using testing::MeanColour;
using testing::MemoryImages;
using testing::npy_bytes;
using testing::options_for;
using testing::people_options;
using testing::raw;
using testing::read_text;
using testing::TempDir;

// What the file should hold for these images.
std::vector<float> expected_rows(const ImageSource& source, const std::vector<size_t>& images) {
  std::vector<float> result(images.size() * 3);
  for (size_t i = 0; i < images.size(); ++i) {
    MeanColour().prepare(source.read(images[i]), std::span(result).subspan(3 * i, 3));
  }
  return result;
}

TEST(Embed, WritesRowsLabelsAndNames) {
  const TempDir dir;
  const MemoryImages source(10);
  for (const unsigned threads : {1u, 3u}) {
    for (const size_t batch : {1u, 4u, 100u}) {
      MeanColour encoder;
      EmbedOptions options = options_for(dir);
      options.labels = dir.path("y.npy");
      options.threads = threads;
      options.batch = batch;
      size_t last = 0;
      options.progress = [&](size_t done, size_t total) {
        EXPECT_GT(done, last);
        EXPECT_EQ(total, 10u);
        last = done;
      };
      const EmbedResult result = embed(source, encoder, options);
      EXPECT_EQ(last, 10u);
      EXPECT_EQ(result.rows, 10u);
      EXPECT_EQ(result.dim, 3u);
      EXPECT_EQ(result.classes, dir.path("y.classes.txt"));
      EXPECT_EQ(read_text(options.output),
                npy_bytes("<f4", "(10, 3)", raw(expected_rows(source, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}))));
      EXPECT_EQ(read_labels(options.labels), *source.labels());
      EXPECT_EQ(read_text(result.classes), "cat\ndog\nowl\n");
      EXPECT_EQ(dir.entries(), 3u);
    }
  }
}

TEST(Embed, TellsWhatTheEncoderHasToSay) {
  class Noted : public MeanColour {
    std::string note() const override { return "one at a time"; }
  } encoder;
  const TempDir dir;
  EmbedOptions options = options_for(dir);
  std::vector<std::string> notes;
  options.note = [&](const std::string& what) { notes.push_back(what); };
  embed(MemoryImages(2), encoder, options);
  EXPECT_EQ(notes, (std::vector<std::string>{"one at a time"}));
}

TEST(Embed, RowsAndHalves) {
  const TempDir dir;
  const MemoryImages source(10);
  MeanColour encoder;
  EmbedOptions options = options_for(dir);
  options.rows = {7, 2, 5};
  options.dtype = DType::float16;
  options.labels = dir.path("y.npy");
  embed(source, encoder, options);
  std::vector<uint16_t> halves;
  for (const float value : expected_rows(source, {7, 2, 5})) halves.push_back(float_to_half(value));
  EXPECT_EQ(read_text(options.output), npy_bytes("<f2", "(3, 3)", raw(halves)));
  EXPECT_EQ(read_labels(options.labels), (std::vector<int64_t>{1, 2, 2}));
  options.rows = {10};
  expect_record_refused([&] { embed(source, encoder, options); }, "rows: one is not the number of an image",
                        "10 where there are 10 images");
}

TEST(Embed, BadImagesAreToldAllAtOnceOrSkipped) {
  const TempDir dir;
  const MemoryImages source(12, {1, 6, 11});
  MeanColour encoder;
  EmbedOptions options = options_for(dir);
  options.labels = dir.path("y.npy");
  std::vector<std::string> told;
  options.bad_image = [&](const std::string& what) { told.push_back(what); };
  expect_record_refused([&] { embed(source, encoder, options); },
                        "3 of 12 images cannot be read; mend or remove them, or skip what cannot be read",
                        "the first is picture 1: is damaged");
  EXPECT_EQ(told,
            (std::vector<std::string>{"picture 1: is damaged", "picture 6: is damaged", "picture 11: is damaged"}));
  EXPECT_EQ(dir.entries(), 0u);

  options.skip_bad = true;
  const EmbedResult result = embed(source, encoder, options);
  EXPECT_EQ(result.rows, 9u);
  EXPECT_EQ(result.skipped, (std::vector<std::string>{"picture 1", "picture 6", "picture 11"}));
  EXPECT_EQ(read_text(options.output),
            npy_bytes("<f4", "(9, 3)", raw(expected_rows(source, {0, 2, 3, 4, 5, 7, 8, 9, 10}))));
  EXPECT_EQ(read_labels(options.labels), (std::vector<int64_t>{0, 2, 0, 1, 2, 1, 2, 0, 1}));
}

TEST(Embed, KeepsTheRowsBeforeABadImage) {
  const TempDir dir;
  const MemoryImages source(12, {9});
  MeanColour encoder;
  EmbedOptions options = options_for(dir);
  expect_error<InvalidInput>([&] { embed(source, encoder, options); }, {"1 of 12", "x.npy.partial"});
  EXPECT_FALSE(std::filesystem::exists(options.output));
  EXPECT_EQ(encoder.images, 8u);
  options.skip_bad = true;
  EXPECT_EQ(embed(source, encoder, options).resumed_at, 8u);
  EXPECT_EQ(encoder.images, 11u);
  EXPECT_EQ(read_text(options.output),
            npy_bytes("<f4", "(11, 3)", raw(expected_rows(source, {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11}))));
  EXPECT_EQ(dir.entries(), 1u);
}

TEST(Embed, Refuses) {
  const TempDir dir;
  MeanColour encoder;
  const EmbedOptions options = options_for(dir);
  expect_error<InvalidInput>([&] { embed(MemoryImages(0), encoder, options); }, {"there are no images"});
  EmbedOptions skipping = options;
  skipping.skip_bad = true;
  expect_error<InvalidInput>([&] { embed(MemoryImages(2, {0, 1}), encoder, skipping); }, {"no image could be read"});
  EmbedOptions integers = options;
  integers.dtype = DType::int8;
  expect_error<InvalidInput>([&] { embed(MemoryImages(2), encoder, integers); }, {"float32 or float16"});
  EmbedOptions nowhere = options;
  nowhere.output = dir.path("no/where.npy");
  expect_error<IoError>([&] { embed(MemoryImages(2), encoder, nowhere); }, {"where.npy", "cannot write"});

  class Unlabelled : public MemoryImages {
    using MemoryImages::MemoryImages;
    std::optional<std::vector<int64_t>> labels() const override { return std::nullopt; }
  };
  EmbedOptions labelled = options;
  labelled.labels = dir.path("y.npy");
  expect_error<InvalidInput>([&] { embed(Unlabelled(2), encoder, labelled); }, {"no labels", "name the file"});

  class Infinite : public MeanColour {
    void encode(std::span<const float>, size_t, std::span<float> out) override {
      std::fill(out.begin(), out.end(), INFINITY);
    }
  } infinite;
  expect_error<InvalidInput>([&] { embed(MemoryImages(2), infinite, options); }, {"not finite"});
  EXPECT_LE(dir.entries(), 2u);  // PATH.partial and its state, of the run with skipped images
}

// Kills its own process when that image is read.
class DeadlyImages : public MemoryImages {
 public:
  DeadlyImages(size_t size, size_t deadly) : MemoryImages(size), deadly_(deadly) {}
  Image read(size_t i) const override {
    if (i == deadly_) ::raise(SIGKILL);
    return MemoryImages::read(i);
  }

 private:
  size_t deadly_;
};

void embed_and_die(const EmbedOptions& options, size_t size, size_t deadly) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    MeanColour encoder;
    embed(DeadlyImages(size, deadly), encoder, options);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST(EmbedKilled, GoesOnWithTheSameBytes) {
  const TempDir dir;
  const MemoryImages source(50);
  EmbedOptions options = people_options(dir, "[0-9]");
  options.checkpoint_seconds = 0;
  MeanColour whole;
  embed(source, whole, options);
  const std::string bytes = read_text(options.output), people = read_text(options.people);
  for (const std::string& path : {options.output, options.people}) std::filesystem::remove(path);

  std::vector<std::string> notes;
  for (const size_t deadly : {0u, 30u, 49u}) embed_and_die(options, 50, deadly);
  for (const std::string& path : {options.output, options.people}) EXPECT_FALSE(std::filesystem::exists(path));
  options.note = [&](const std::string& what) { notes.push_back(what); };
  MeanColour rest;
  const EmbedResult result = embed(source, rest, options);
  EXPECT_EQ(read_text(options.output), bytes);
  EXPECT_EQ(read_text(options.people), people);
  // At least the batches before the ones that were being read when it was killed.
  EXPECT_GE(result.resumed_at, 28u);
  EXPECT_EQ(rest.images, 50 - result.resumed_at);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("going on after"), std::string::npos);
  for (const char* end : {".partial", ".partial-state"}) EXPECT_FALSE(std::filesystem::exists(options.output + end));
}

TEST(EmbedKilled, StartsAnewForOtherImages) {
  const TempDir dir;
  EmbedOptions options = options_for(dir);
  options.checkpoint_seconds = 0;
  embed_and_die(options, 40, 39);
  std::vector<std::string> notes;
  options.note = [&](const std::string& what) { notes.push_back(what); };
  MeanColour encoder;
  EXPECT_EQ(embed(MemoryImages(41), encoder, options).resumed_at, 0u);
  EXPECT_EQ(encoder.images, 41u);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("starting anew"), std::string::npos);
}

}  // namespace
}  // namespace dppl
