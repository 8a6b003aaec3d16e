#include "dppl/embed.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "base/float16.h"
#include "support/expect_error.h"
#include "support/expect_record_refused.h"
#include "support/memory_images.h"
#include "support/npy_bytes.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::expect_record_refused;
using testing::MeanColour;
using testing::MemoryImages;
using testing::npy_bytes;
using testing::raw;
using testing::read_text;
using testing::TempDir;

EmbedOptions options_for(const TempDir& dir) {
  EmbedOptions options;
  options.output = dir.path("x.npy");
  options.batch = 4;
  return options;
}

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

// Two pictures a person, by their paths and in a column.
class PeoplesImages : public MemoryImages {
 public:
  explicit PeoplesImages(size_t size, std::vector<size_t> bad = {}) : MemoryImages(size, std::move(bad)) {
    for (size_t i = 0; i < size; ++i) {
      names_.push_back("set/p" + std::to_string(i / 2) + "/" + std::to_string(i) + ".png");
      people_.push_back("Jane Dœ " + std::to_string(i / 2));
    }
  }
  std::string name(size_t i) const override { return names_.at(i); }
  std::optional<std::vector<std::string>> people() const override { return people_; }

  std::vector<std::string> names_, people_;
};

EmbedOptions people_options(const TempDir& dir, const std::string& pattern = "") {
  EmbedOptions options = options_for(dir);
  options.people = dir.path("p.txt");
  options.people_pattern = pattern;
  return options;
}

TEST(Embed, WritesWhoseImageEachRowIs) {
  const TempDir dir;
  MeanColour encoder;
  const auto ids = [&](const std::string& pattern) {
    const EmbedOptions options = people_options(dir, pattern);
    EXPECT_EQ(embed(PeoplesImages(4), encoder, options).rows, 4u);
    EXPECT_EQ(dir.entries(), 2u);
    return read_text(options.people);
  };
  EXPECT_EQ(ids(""), "Jane Dœ 0\nJane Dœ 0\nJane Dœ 1\nJane Dœ 1\n");
  EXPECT_EQ(ids("/p(\\d+)/"), "0\n0\n1\n1\n");
  EXPECT_EQ(ids("p\\d"), "p0\np0\np1\np1\n");
  EXPECT_EQ(ids("(?:set)/(p.)/([0-9])"), "p0\np0\np1\np1\n");
  // The first of the matches, and as little as a lazy pattern asks for.
  EXPECT_EQ(ids("(.*?)[/.]"), "set\nset\nset\nset\n");
}

TEST(Embed, IdsFollowTheRowsThatAreWritten) {
  const TempDir dir;
  MeanColour encoder;
  EmbedOptions options = people_options(dir);
  options.skip_bad = true;
  EXPECT_EQ(embed(PeoplesImages(6, {0, 3}), encoder, options).rows, 4u);
  EXPECT_EQ(read_text(options.people), "Jane Dœ 0\nJane Dœ 1\nJane Dœ 2\nJane Dœ 2\n");
  options.rows = {5, 3, 1, 0};
  EXPECT_EQ(embed(PeoplesImages(6, {0, 3}), encoder, options).rows, 2u);
  EXPECT_EQ(read_text(options.people), "Jane Dœ 2\nJane Dœ 0\n");
  options.people_pattern = "p\\d";
  EXPECT_EQ(embed(PeoplesImages(6, {0, 3}), encoder, options).rows, 2u);
  EXPECT_EQ(read_text(options.people), "p2\np0\n");
}

TEST(Embed, RefusesIdsBeforeItEncodes) {
  const TempDir dir;
  MeanColour encoder;
  const auto refused = [&](const PeoplesImages& source, const std::string& pattern, std::string_view rule,
                           std::string_view secret) {
    const EmbedOptions options = people_options(dir, pattern);
    expect_record_refused([&] { embed(source, encoder, options); }, "p.txt: " + std::string(rule), secret);
    EXPECT_EQ(encoder.images, 0u);
    EXPECT_EQ(dir.entries(), 0u);
  };
  PeoplesImages source(10);
  refused(source, "p[0-3]", "the pattern of people's ids does not match the name of an image", "set/p4/8.png");
  refused(source, "^p", "the pattern of people's ids does not match", "set/p0/0.png");
  refused(source, "x*", "the id of a person is blank", "set/p0/0.png has id ''");
  refused(source, "p4|(p[0-3])", "the id of a person is blank", "set/p4/8.png has id ''");
  for (const auto& [id, fault] :
       {std::pair{"", "is blank"}, std::pair{"  ", "is blank"}, std::pair{"Ja\nne", "has a control character"},
        std::pair{"Jane\x7f", "has a control character"}, std::pair{"Jane \xff", "is not UTF-8"},
        std::pair{" Jane", "begins or ends with a blank"}, std::pair{"Jane ", "begins or ends with a blank"},
        std::pair{"nan", "is what programs write where one is missing"}}) {
    source.people_[9] = id;
    refused(source, "", "the id of a person " + std::string(fault), "set/p4/9.png has id '" + std::string(id) + "'");
  }
  source.names_[9] = "set/Jane\n9/9.png";
  refused(source, "set/([^/]+)", "the id of a person has a control character", "set/Jane\n9/9.png");
  source.names_[9] = "set/J\xc5\x93/9.png";
  refused(source, "set/(..)", "the id of a person is not UTF-8", source.names_[9]);

  // What is not asked for is not looked at.
  EmbedOptions options = people_options(dir);
  options.rows = {1, 2};
  EXPECT_EQ(embed(source, encoder, options).rows, 2u);
  EXPECT_EQ(read_text(options.people), "Jane Dœ 0\nJane Dœ 1\n");
}

// std::regex recurses over the text.
TEST(Embed, LimitsNamesAndPatternsForTheStack) {
  const TempDir dir;
  MeanColour encoder;
  PeoplesImages source(2);
  for (std::string& name : source.names_) name = std::string(1024, 'a');
  const EmbedOptions options = people_options(dir, "((([^/b]|c)+|d)+)$");
  embed(source, encoder, options);
  EXPECT_EQ(read_text(options.people), source.names_[0] + "\n" + source.names_[1] + "\n");
  source.names_[1] += "Jane";
  expect_record_refused([&] { embed(source, encoder, options); }, "p.txt: the name of an image is longer", "Jane");
  expect_error<InvalidInput>([&] { embed(source, encoder, people_options(dir, std::string(257, 'a'))); },
                             {"the pattern of people's ids is longer than 256 bytes"});
}

TEST(Embed, RefusesPeopleThatItCannotKnow) {
  const TempDir dir;
  MeanColour encoder;
  expect_error<InvalidInput>([&] { embed(MemoryImages(2), encoder, people_options(dir)); },
                             {"p.txt: ", "whose they are", "a pattern", "a column"});
  for (const char* pattern : {"(", "[a", "*", "a{2,1}", "\\"}) {
    expect_error<InvalidInput>([&] { embed(MemoryImages(2), encoder, people_options(dir, pattern)); },
                               {"the pattern of people's ids", pattern, "is not a regular expression"});
  }
  EmbedOptions nowhere = people_options(dir, "picture");
  nowhere.people = "";
  expect_error<InvalidInput>([&] { embed(MemoryImages(2), encoder, nowhere); }, {"needs a file to write them to"});
  nowhere.people = dir.path("no/where.txt");
  expect_error<IoError>([&] { embed(MemoryImages(2), encoder, nowhere); }, {"where.txt", "cannot write"});
  EmbedOptions names = people_options(dir, "picture");
  names.labels = dir.path("y.npy");
  names.people = dir.path("y.classes.txt");
  expect_error<InvalidInput>([&] { embed(MemoryImages(2), encoder, names); },
                             {"y.classes.txt: the names of the classes"});
  EXPECT_EQ(encoder.images, 0u);
  EXPECT_EQ(dir.entries(), 0u);
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
