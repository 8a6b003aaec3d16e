// `dppl embed` as it is used: a folder or a file of images in, embeddings and labels out.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "dppl/embeddings.h"
#include "support/image_files.h"
#include "support/npy_bytes.h"
#include "support/onnx_model.h"
#include "support/onnx_runtime.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using testing::npy_bytes;
using testing::read_text;
using testing::SmallResNet;
using testing::TempDir;

// A .npy of colour images, 16 × 16.
std::string images(size_t count) {
  std::string pixels(count * 16 * 16 * 3, '\0');
  unsigned seed = 1;
  for (char& value : pixels) value = static_cast<char>((seed = seed * 1664525 + 1013904223) >> 24);
  return npy_bytes("|u1", "(" + std::to_string(count) + ", 16, 16, 3)", pixels);
}

std::vector<std::string> embed_command(const TempDir& dir, const std::string& output,
                                       const std::vector<std::string>& more = {}) {
  std::vector<std::string> command{
      "embed", dir.path("images.npy"), "--encoder", dir.path("m.onnx"), "--normalise", "half", "-o", dir.path(output)};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

TEST(EmbedCommand, WritesEmbeddingsAndTells) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir dir;
  dir.file("images.npy", images(10));
  dir.file("m.onnx", SmallResNet().model().bytes());
  dir.file("labels.npy", npy_bytes("|u1", "(10,)", std::string("\0\1\2\0\1\2\0\1\2\0", 10)));
  const auto result = run_program(embed_command(
      dir, "x.npy",
      {"--label-source", dir.path("labels.npy"), "--labels", dir.path("y.npy"), "--json", "--batch", "4"}));
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json.at("rows"), 10);
  EXPECT_EQ(json.at("dim"), 5);
  EXPECT_EQ(json.at("skipped"), 0);
  EXPECT_EQ(Embeddings::open(dir.path("x.npy")).rows(), 10u);
  EXPECT_EQ(read_labels(dir.path("y.npy")), (std::vector<int64_t>{0, 1, 2, 0, 1, 2, 0, 1, 2, 0}));

  // Some rows of it, as a range and as a file.
  dir.file("rows.npy", npy_bytes("|u1", "(3,)", "\2\3\4"));
  for (const std::string& rows : {std::string("2:5"), dir.path("rows.npy")}) {
    const auto part = run_program(embed_command(dir, "part.npy", {"--rows", rows, "--batch", "4"}));
    ASSERT_EQ(part.status, 0) << part.err;
    const Embeddings some = Embeddings::open(dir.path("part.npy")), all = Embeddings::open(dir.path("x.npy"));
    ASSERT_EQ(some.rows(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      std::vector<float> got(5), expected(5);
      some.row(i, got);
      all.row(i + 2, expected);
      for (size_t d = 0; d < 5; ++d) EXPECT_NEAR(got[d], expected[d], 1e-5f);
    }
    EXPECT_NE(part.out.find("3 rows of 5 values"), std::string::npos) << part.out;
  }
}

TEST(EmbedCommand, RefusesInOneLineAndWritesNothing) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir dir;
  dir.file("images.npy", images(3));
  dir.file("m.onnx", SmallResNet().model().bytes());
  dir.file("broken.onnx", "not a model");
  const size_t before = dir.entries();
  for (const auto& [more, words] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{{{"--rows", "5:9"}, "none of the 3 images"},
                                                                     {{"--rows", "first"}, "FIRST:END"},
                                                                     {{"--labels", dir.path("y.npy")}, "no labels"},
                                                                     {{"--size", "9"}, "8 × 8"},
                                                                     {{"--output", "logits"}, "no output 'logits'"}}) {
    const auto result = run_program(embed_command(dir, "x.npy", more));
    EXPECT_EQ(result.status, 1) << words;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(dir.entries(), before);
  }
  for (const auto& [encoder, source, words] :
       std::vector<std::tuple<std::string, std::string, std::string>>{{"broken.onnx", "images.npy", "cannot be loaded"},
                                                                      {"none.onnx", "images.npy", "none.onnx"},
                                                                      {"m.onnx", "none", "none"}}) {
    const auto result = run_program(
        {"embed", dir.path(source), "--encoder", dir.path(encoder), "--normalise", "half", "-o", dir.path("x.npy")});
    EXPECT_EQ(result.status, 1) << words;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(dir.entries(), before);
  }
}

bool says(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

// photos/ with a picture in a folder of each name.
std::string photos(const TempDir& dir, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    std::filesystem::create_directories(dir.path("photos/" + name));
    dir.file("photos/" + name + "/Jane Doe.png", testing::png_bytes({1, 1, 1, {7}}));
  }
  return dir.path("photos");
}

RunResult embed_photos(const TempDir& dir, const std::vector<std::string>& more = {}) {
  std::vector<std::string> command{"embed", dir.path("photos"), "--encoder", "builtin:hog", "-o", dir.path("x.npy")};
  command.insert(command.end(), more.begin(), more.end());
  return run_program(command);
}

// Names of files and folders can be those of patients: they come with the flag alone.
TEST(EmbedCommand, TellsUnreadableImages) {
  const TempDir dir;
  photos(dir, {"cat", "dog"});
  dir.file("photos/cat/a.png", "not a picture");
  dir.file("photos/dog/b.jpg", "\xff\xd8\xff\xe0 cut short");
  for (const bool shown : {false, true}) {
    const std::vector<std::string> flag(shown ? 1 : 0, "--show-private-errors");
    const auto refused = embed_photos(dir, flag);
    EXPECT_EQ(refused.status, 1);
    EXPECT_TRUE(says(refused.err, "x.npy: 2 of 4 images cannot be read")) << refused.err;
    EXPECT_TRUE(says(refused.err, "--skip-bad")) << refused.err;
    EXPECT_EQ(says(refused.err, "--show-private-errors tells where"), !shown) << refused.err;
    for (const char* word : {"a.png", "b.jpg", "damaged JPEG"}) {
      EXPECT_EQ(says(refused.err, word), shown) << refused.err;
    }
    EXPECT_EQ(dir.entries(), 1u);

    const auto skipped = embed_photos(dir, {"--skip-bad", shown ? "--show-private-errors" : "--json"});
    ASSERT_EQ(skipped.status, 0) << skipped.err;
    EXPECT_TRUE(says(skipped.out, shown ? "skipped    2 images\n" : "\"skipped\": 2")) << skipped.out;
    for (const char* word : {"a.png", "b.jpg"}) EXPECT_EQ(says(skipped.err + skipped.out, word), shown);
    std::filesystem::remove(dir.path("x.npy"));
  }
  const auto plain = embed_photos(dir, {"--skip-bad"});
  EXPECT_TRUE(says(plain.out, "skipped    2 images (--show-private-errors tells which)\n")) << plain.out;
  const auto json = nlohmann::json::parse(embed_photos(dir, {"--skip-bad", "--json", "--show-private-errors"}).out);
  ASSERT_EQ(json.at("skipped_images").size(), 2u);
  EXPECT_TRUE(says(json.at("skipped_images")[0], "photos/cat/a.png"));
}

// The same command on neighbouring data sets, one with a record of a class that the other one lacks: what is declared
// does not change, and what is not declared is refused without a word on it.
TEST(EmbedCommand, ClassesAreDeclaredNotDerived) {
  const TempDir dir;
  photos(dir, {"flu", "well"});
  const std::string classes = dir.file("names.txt", "flu\nhiv\nwell\n"), labels = dir.path("y.npy");
  const size_t before = dir.entries();

  const auto undeclared = embed_photos(dir, {"--labels", labels});
  EXPECT_EQ(undeclared.status, 1);
  EXPECT_TRUE(says(undeclared.err, "--classes FILE")) << undeclared.err;
  EXPECT_TRUE(says(undeclared.err, "--list-classes")) << undeclared.err;
  EXPECT_FALSE(says(undeclared.err, "well")) << undeclared.err;
  EXPECT_EQ(dir.entries(), before);

  auto result = embed_photos(dir, {"--labels", labels, "--classes", classes, "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out).at("classes"), classes);
  EXPECT_EQ(read_labels(labels), (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(dir.entries(), before + 2);  // x.npy and y.npy: nothing that fit --classes would take
  photos(dir, {"hiv"});
  ASSERT_EQ(embed_photos(dir, {"--labels", labels, "--classes", classes}).status, 0);
  EXPECT_EQ(read_labels(labels), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(dir.entries(), before + 2);

  photos(dir, {"rare disease"});
  const auto refused = embed_photos(dir, {"--labels", labels, "--classes", classes});
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(says(refused.err, "a label is not one of the classes")) << refused.err;
  for (const char* word : {"rare", "Jane"}) EXPECT_FALSE(says(refused.err, word)) << refused.err;
  const auto shown = embed_photos(dir, {"--labels", labels, "--classes", classes, "--show-private-errors"});
  EXPECT_TRUE(says(shown.err, "photos/rare disease/Jane Doe.png has label 'rare disease'")) << shown.err;
  EXPECT_EQ(embed_photos(dir, {"--classes", classes}).status, 2);
}

TEST(EmbedCommand, WritesWhoseImagesTheyAre) {
  const TempDir dir;
  photos(dir, {"flu", "well"});
  dir.file("photos/well/John.png", testing::png_bytes({1, 1, 1, {7}}));
  dir.file("photos/well/Max.png", "not a picture");
  const std::string people = dir.path("p.txt");
  const auto found = embed_photos(dir, {"--people", people, "--people-from-path", "([^/]+)\\.png$", "--skip-bad"});
  ASSERT_EQ(found.status, 0) << found.err;
  EXPECT_EQ(read_text(people), "Jane Doe\nJane Doe\nJohn\n");
  EXPECT_TRUE(says(found.out, "people     " + people + "\n")) << found.out;
  EXPECT_FALSE(says(found.out + found.err, "Jane")) << found.out << found.err;

  const std::string list =
      dir.file("list.csv", "path,label,person\nphotos/flu/Jane Doe.png,1,7 b\nphotos/well/John.png,0,7 b\n");
  const auto listed = run_program({"embed", list, "--encoder", "builtin:hog", "-o", dir.path("x.npy"), "--labels",
                                   dir.path("y.npy"), "--people", people, "--json"});
  ASSERT_EQ(listed.status, 0) << listed.err;
  EXPECT_EQ(read_text(people), "7 b\n7 b\n");
  EXPECT_EQ(read_labels(dir.path("y.npy")), (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(nlohmann::json::parse(listed.out).at("people"), people);
}

TEST(EmbedCommand, RefusesPeopleInOneLineAndWritesNothing) {
  const TempDir dir;
  photos(dir, {"flu", "well"});
  dir.file("photos/well/John.png", testing::png_bytes({1, 1, 1, {7}}));
  const size_t before = dir.entries();
  const std::string people = dir.path("p.txt");
  for (const auto& [more, words] : std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>>{
           {{"--people", people}, {"whose they are", "column", "--people-from-path REGEX"}},
           {{"--people", people, "--people-from-path", "(J"}, {"'(J'", "is not a regular expression"}},
           {{"--people", people, "--people-from-path", " Doe"}, {"p.txt: the pattern", "does not match"}},
           {{"--people", people, "--people-from-path", "/( ?)J"}, {"p.txt: the id of a person is blank"}},
           {{"--people", dir.path("p.npy"), "--people-from-path", "J"}, {"--people", "does not end in .txt"}},
           {{"--people", people, "--labels", people, "--people-from-path", "J"}, {"written twice"}}}) {
    const auto result = embed_photos(dir, more);
    EXPECT_EQ(result.status, 1) << words[0];
    for (const std::string& word : words) EXPECT_TRUE(says(result.err, word)) << word << " is not in: " << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    for (const char* secret : {"Jane", "John"}) EXPECT_FALSE(says(result.err, secret)) << result.err;
    EXPECT_EQ(dir.entries(), before);
  }
  const auto shown = embed_photos(dir, {"--people", people, "--people-from-path", " Doe", "--show-private-errors"});
  EXPECT_TRUE(says(shown.err, "photos/well/John.png")) << shown.err;
  const auto nowhere = embed_photos(dir, {"--people-from-path", "J"});
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_TRUE(says(nowhere.err, "--people")) << nowhere.err;
  EXPECT_EQ(run_program({"embed", dir.path("photos"), "--list-classes", "--people", people}).status, 2);
}

TEST(EmbedCommand, ListsNamesForWhoeverDeclares) {
  const TempDir dir;
  const std::string source = photos(dir, {"well", "flu"});
  std::filesystem::create_directories(dir.path("photos/none yet"));
  const auto listed = run_program({"embed", source, "--list-classes"});
  ASSERT_EQ(listed.status, 0) << listed.err;
  EXPECT_EQ(listed.out, "flu\nnone yet\nwell\n");
  EXPECT_TRUE(says(listed.err, "come from the data")) << listed.err;
  EXPECT_TRUE(says(listed.err, "without seeing any single record")) << listed.err;
  EXPECT_EQ(dir.entries(), 1u);
  const auto json = nlohmann::json::parse(run_program({"embed", source, "--list-classes", "--json"}).out);
  EXPECT_EQ(json.at("names").size(), 3u);
  EXPECT_EQ(run_program({"embed", source, "--list-classes", "-o", dir.path("x.npy")}).status, 2);
  EXPECT_EQ(run_program({"embed", source, "-o", dir.path("x.npy")}).status, 2);

  dir.file("images.npy", images(1));
  const auto numbers = run_program({"embed", dir.path("images.npy"), "--list-classes"});
  EXPECT_EQ(numbers.status, 1);
  EXPECT_TRUE(says(numbers.err, "--classes N")) << numbers.err;
  photos(dir, {"two\nlines"});
  const auto odd = run_program({"embed", source, "--list-classes"});
  EXPECT_EQ(odd.status, 1);
  EXPECT_TRUE(odd.out.empty()) << odd.out;
  EXPECT_TRUE(says(odd.err, "cannot be the name of a class")) << odd.err;
}

// CIFAR's names are in a file of its publisher; they do not depend on the records.
TEST(EmbedCommand, ThePublishersNamesAreKept) {
  const TempDir dir;
  const std::string names = "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n";
  dir.file("test_batch.bin", std::string(1, '\3') + std::string(3072, '\7'));
  dir.file("batches.meta.txt", names + "\n");
  const std::vector<std::string> command{"embed", dir.path("test_batch.bin"), "--encoder", "builtin:hog",
                                         "-o",    dir.path("x.npy"),          "--labels",  dir.path("y.npy")};
  const auto result = run_program(command);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(read_text(dir.path("y.classes.txt")), names);
  EXPECT_EQ(read_labels(dir.path("y.npy")), (std::vector<int64_t>{3}));
}

TEST(EmbedCommand, SaysThatAModelMixesImages) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir dir;
  dir.file("images.npy", images(6));
  dir.file("m.onnx", testing::quantised_by_batch().bytes());
  const auto result = run_program(embed_command(dir, "x.npy"));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(says(result.err, "one at a time")) << result.err;
  EXPECT_TRUE(says(result.out, "it mixes the images of a batch")) << result.out;
  // A row has the bits that it has alone.
  ASSERT_EQ(run_program(embed_command(dir, "part.npy", {"--rows", "4:5", "--batch", "1"})).status, 0);
  const Embeddings all = Embeddings::open(dir.path("x.npy")), one = Embeddings::open(dir.path("part.npy"));
  std::vector<float> among(3), alone(3);
  all.row(4, among);
  one.row(0, alone);
  EXPECT_EQ(among, alone);
}

// Killed at some moment, and once more: what comes out in the end is the same.
TEST(EmbedCommand, GoesOnAfterAKill) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir dir;
  dir.file("images.npy", images(4000));
  dir.file("m.onnx", SmallResNet().model().bytes());
  ASSERT_EQ(run_program(embed_command(dir, "whole.npy")).status, 0);
  for (const char* seconds : {"0.2", "0.4"}) {
    std::vector<std::string> command{"timeout", "--signal=KILL", seconds, DPPL_PROGRAM};
    for (const std::string& word : embed_command(dir, "x.npy", {"--checkpoint", "0"})) command.push_back(word);
    run_command(command);
  }
  const auto result = run_program(embed_command(dir, "x.npy", {"--checkpoint", "0"}));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(read_text(dir.path("x.npy")) == read_text(dir.path("whole.npy")));
  EXPECT_FALSE(std::filesystem::exists(dir.path("x.npy.partial")));
  EXPECT_FALSE(std::filesystem::exists(dir.path("x.npy.partial-state")));
}

// By a model, whose rows may depend on their batch in the last bit; each part by a process that is killed on the way.
TEST(EmbedCommand, ShardsAreTheBytesOfTheWhole) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir dir;
  dir.file("images.npy", images(1000));
  dir.file("m.onnx", SmallResNet().model().bytes());
  ASSERT_EQ(run_program(embed_command(dir, "whole.npy")).status, 0);
  std::string rows;
  for (const std::string number : {"1", "2", "3"}) {
    const std::string name = "part-" + number + ".npy";
    const auto command = embed_command(dir, name, {"--checkpoint", "0", "--shard", number + "/3"});
    std::vector<std::string> killed{"timeout", "--signal=KILL", "0.1", DPPL_PROGRAM};
    killed.insert(killed.end(), command.begin(), command.end());
    run_command(killed);
    const auto result = run_program(command);
    ASSERT_EQ(result.status, 0) << result.err;
    rows += read_text(dir.path(name)).substr(128);
    const auto again = run_program(command);
    EXPECT_EQ(again.status, 0);
    EXPECT_TRUE(says(again.err, name + ": is there already")) << again.err;
  }
  EXPECT_TRUE(rows == read_text(dir.path("whole.npy")).substr(128));
  for (const auto& [shard, words] : {std::pair{"4/3", "i/N"}, std::pair{"1/64", "at most 63"}}) {
    const auto refused = run_program(embed_command(dir, "x.npy", {"--shard", shard}));
    EXPECT_EQ(refused.status, 1);
    EXPECT_TRUE(says(refused.err, words)) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(dir.path("x.npy")));
  }
}

TEST(EmbedCommand, SaysHowToGetOnnxRuntime) {
  const TempDir dir;
  dir.file("images.npy", images(1));
  dir.file("m.onnx", SmallResNet().model().bytes());
  dir.file("not-a-library.so", "text");
  for (const std::string& library : {dir.path("none.so"), dir.path("not-a-library.so")}) {
    std::vector<std::string> command{"env", "DPPL_ONNXRUNTIME=" + library, DPPL_PROGRAM};
    for (const std::string& word : embed_command(dir, "x.npy")) command.push_back(word);
    const auto result = run_command(command);
    EXPECT_EQ(result.status, 1);
    EXPECT_NE(result.err.find("scripts/setup-onnx.sh"), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

TEST(EmbedCommand, ABuiltInEncoderNeedsNothing) {
  const TempDir dir;
  dir.file("images.npy", images(20));
  const auto result = run_program(
      {"embed", dir.path("images.npy"), "--encoder", "builtin:hog", "--dtype", "float16", "-o", dir.path("x.npy")});
  EXPECT_EQ(result.status, 0) << result.err;
  const Embeddings rows = Embeddings::open(dir.path("x.npy"));
  EXPECT_EQ(rows.rows(), 20u);
  EXPECT_EQ(rows.dtype(), DType::float16);
  EXPECT_EQ(dir.entries(), 2u);
}

TEST(EmbedCommand, Help) {
  EXPECT_NE(run_program({"embed", "--help"}).out.find("Example"), std::string::npos);
  EXPECT_EQ(run_program({"embed"}).status, 2);
  EXPECT_EQ(run_program({"embed", "x", "--encoder", "e.onnx", "-o", "x.npy", "--dtype", "int8"}).status, 2);
}

}  // namespace
}  // namespace dppl
