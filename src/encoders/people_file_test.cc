#include "encoders/people_file.h"

#include <gtest/gtest.h>

#include "support/embedding.h"
#include "support/expect_error.h"
#include "support/expect_record_refused.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::expect_record_refused;
using testing::MeanColour;
using testing::MemoryImages;
using testing::people_options;
using testing::PeoplesImages;
using testing::read_text;
using testing::TempDir;

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

}  // namespace
}  // namespace dppl
