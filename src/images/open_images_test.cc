#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "dppl/error.h"
#include "dppl/images.h"
#include "support/expect_error.h"
#include "support/expect_record_refused.h"
#include "support/image_files.h"
#include "support/npy_bytes.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::gzip_bytes;
using testing::idx_bytes;
using testing::npy_bytes;
using testing::png_bytes;
using testing::TempDir;
using Labels = std::vector<int64_t>;

// A folder with files of its own in it.
class ImageDir : public TempDir {
 public:
  void image(const std::string& name, uint8_t value) const { put(name, png_bytes({1, 1, 1, {value}})); }
  std::string put(const std::string& name, std::string_view contents) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    return file(name, contents);
  }
};

// The first value of every image, in order.
std::vector<int> values(const ImageSource& source) {
  std::vector<int> result;
  for (size_t i = 0; i < source.size(); ++i) result.push_back(source.read(i).pixels.at(0));
  return result;
}

std::string counting(size_t size) {
  std::string result;
  for (size_t i = 0; i < size; ++i) result += static_cast<char>(i);
  return result;
}

void expect_refused(const std::string& path, std::initializer_list<std::string_view> words,
                    const std::string& labels = "") {
  expect_error<InvalidInput>([&] { open_images(path, {labels}); }, words);
}

void expect_record_refused(const std::string& path, std::string_view rule, std::string_view secret) {
  testing::expect_record_refused([&] { open_images(path); }, rule, secret);
}

// The name that each image's label has.
std::vector<std::string> names(const ImageSource& source) {
  const NamedLabels labels = source.named_labels().value();
  std::vector<std::string> result;
  for (const size_t place : labels.of) result.push_back(labels.names.at(place));
  return result;
}

TEST(ImageFolder, OneFolderPerNameInByteOrder) {
  const ImageDir dir;
  dir.image("set/b/2.png", 1);
  dir.image("set/b/10.PNG", 2);
  dir.image("set/B/z.png", 3);
  dir.image("set/a/deep/er/x.png", 4);
  dir.image("set/a/w.png", 5);
  dir.image("set/a/.hidden.png", 6);
  dir.image("set/a/.cache/x.png", 7);
  dir.put("set/a/notes.txt", "no image");
  std::filesystem::create_directories(dir.path("set/empty"));
  const auto source = open_images(dir.path("set"));
  EXPECT_EQ(values(*source), (std::vector<int>{3, 4, 5, 2, 1}));
  EXPECT_EQ(names(*source), (std::vector<std::string>{"B", "a", "a", "b", "b"}));
  EXPECT_EQ(source->named_labels()->names, (std::vector<std::string>{"B", "a", "b", "empty"}));
  // Folders are private: neither numbers nor classes come of them.
  EXPECT_FALSE(source->labels());
  EXPECT_FALSE(source->classes());
  EXPECT_EQ(source->name(1), dir.path("set/a/deep/er/x.png"));
}

TEST(ImageFolder, AFlatFolderHasNoLabels) {
  const ImageDir dir;
  dir.image("b.png", 1);
  dir.image("a.png", 2);
  const auto source = open_images(dir.path(""));
  EXPECT_EQ(values(*source), (std::vector<int>{2, 1}));
  EXPECT_FALSE(source->labels());
  EXPECT_FALSE(source->named_labels());
  EXPECT_FALSE(source->classes());
}

TEST(ImageFolder, TheFingerprintFollowsNamesAndSizes) {
  const ImageDir dir;
  dir.image("a.png", 1);
  dir.image("b.png", 2);
  const std::string before = open_images(dir.path(""))->fingerprint();
  EXPECT_EQ(open_images(dir.path(""))->fingerprint(), before);
  std::filesystem::rename(dir.path("b.png"), dir.path("c.png"));
  const std::string renamed = open_images(dir.path(""))->fingerprint();
  EXPECT_NE(renamed, before);
  dir.put("c.png", png_bytes({2, 2, 1, {1, 2, 3, 4}}));
  EXPECT_NE(open_images(dir.path(""))->fingerprint(), renamed);
}

TEST(ImageFolder, RefusesWhatItCannotUse) {
  const ImageDir dir;
  expect_refused(dir.path(""), {dir.path(""), "no .jpg"});
  dir.put("set/a/broken.jpg", "\xff\xd8\xff broken");
  const auto source = open_images(dir.path("set"));
  expect_error<InvalidInput>([&] { source->read(0); }, {"set/a/broken.jpg: ", "damaged JPEG"});
  dir.image("set/loose.png", 1);
  expect_record_refused(dir.path("set"), "set: has images beside folders", "loose.png");
  expect_error<IoError>([&] { open_images(dir.path("nowhere")); }, {"nowhere: cannot open"});
  expect_refused(dir.put("one.png", png_bytes({1, 1, 1, {7}})), {"one.png: is one image"});
}

TEST(ImageFolder, DoesNotNameWhatItCannotReadInside) {
  const ImageDir dir;
  dir.image("set/a/x.png", 1);
  std::filesystem::create_symlink("nowhere", dir.path("set/a/Jane Doe.png"));
  expect_record_refused(dir.path("set"), "set: an image of it cannot be opened", "Jane Doe");
  std::filesystem::create_symlink("John Doe", dir.path("set/a/John Doe"));  // leads to itself
  expect_record_refused(dir.path("set"), "set: something in it cannot be read", "John Doe");
}

TEST(ImageList, NamesStayNames) {
  const ImageDir dir;
  for (const auto& [name, value] : {std::pair{"x,1.png", 1}, std::pair{"sub/y.png", 2}, std::pair{"z \"q\".png", 3}}) {
    dir.image(name, static_cast<uint8_t>(value));
  }
  const auto source = open_images(
      dir.put("list.csv",
              "\xef\xbb\xbfpath,label\r\n\"x,1.png\",dog\r\nsub/y.png,\"cat, wild\"\r\n\"z \"\"q\"\".png\",dog\r\n"));
  EXPECT_EQ(values(*source), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(names(*source), (std::vector<std::string>{"dog", "cat, wild", "dog"}));
  EXPECT_EQ(source->named_labels()->names, (std::vector<std::string>{"cat, wild", "dog"}));
  EXPECT_FALSE(source->labels());
  EXPECT_FALSE(source->classes());
}

TEST(ImageList, NumbersStayNumbersAndLabelsMayBeMissing) {
  const ImageDir dir;
  dir.image("x.png", 1);
  dir.image("y.png", 2);
  const auto numbered = open_images(dir.put("n.csv", "y.png,12\nx.png,3"));
  EXPECT_EQ(values(*numbered), (std::vector<int>{2, 1}));
  EXPECT_EQ(numbered->labels(), (Labels{12, 3}));
  EXPECT_EQ(names(*numbered), (std::vector<std::string>{"12", "3"}));
  EXPECT_FALSE(numbered->classes());
  const auto plain = open_images(dir.put("p.csv", "x.png\ny.png\n"));
  EXPECT_FALSE(plain->labels());
  EXPECT_FALSE(plain->named_labels());
}

TEST(ImageList, MayNamePeople) {
  using People = std::vector<std::string>;
  const ImageDir dir;
  dir.image("x.png", 1);
  dir.image("y.png", 2);
  const auto all = open_images(dir.put("a.csv", "path,label,person\ny.png,12,\"Doe, Jane\"\nx.png,3,7\n"));
  EXPECT_EQ(all->people(), (People{"Doe, Jane", "7"}));
  EXPECT_EQ(all->labels(), (Labels{12, 3}));
  const auto swapped = open_images(dir.put("s.csv", "file,person,class\r\nx.png,p,dog\r\ny.png,p,cat\r\n"));
  EXPECT_EQ(swapped->people(), (People{"p", "p"}));
  EXPECT_EQ(names(*swapped), (std::vector<std::string>{"dog", "cat"}));
  const auto unlabelled = open_images(dir.put("u.csv", "path,person\nx.png,1\n"));
  EXPECT_EQ(unlabelled->people(), (People{"1"}));
  EXPECT_FALSE(unlabelled->labels());
  EXPECT_FALSE(unlabelled->named_labels());
  // By its name alone: without a header the second field is the label.
  EXPECT_FALSE(open_images(dir.put("o.csv", "x.png,person\n"))->people());
  EXPECT_FALSE(open_images(dir.put("h.csv", "path,label\nx.png,1\n"))->people());
}

TEST(ImageList, RefusesTheLineThatIsWrong) {
  const ImageDir dir;
  dir.image("x.png", 1);
  const auto refused = [&](std::string_view text, std::string_view rule, std::string_view secret) {
    expect_record_refused(dir.put("list.csv", text), "list.csv: " + std::string(rule), secret);
  };
  expect_refused(dir.put("list.csv", ""), {"list.csv: names no image"});
  expect_refused(dir.put("list.csv", "path,label\n"), {"list.csv: names no image"});
  refused("x.png,1\nJane Doe.gif,2\n", "a line does not begin", "line 2: 'Jane Doe.gif'");
  refused("x.png,1\nx.png\n", "give path,label in every line", "line 2: 1 fields");
  refused("x.png,1,2\n", "give path,label in every line", "line 1: 3 fields");
  refused("path,label,patient\nx.png,1,2\n", "give path,label in every line", "line 2: 3 fields");
  refused("path,label,person\nx.png,1\n", "give path,label,person in every line", "line 2: 2 fields");
  refused("path,person\nx.png,1,2\n", "give path,label,person in every line", "line 2: 3 fields");
  refused("path,label,age,person\nx.png,1,2,3\n", "give path,label,person in every line", "line 2: 4 fields");
  refused("path,label,person\nx.png,1,2\nx.png,1, \n", "a person is blank", "line 3: x.png");
  refused("\"x.png,1\n", "a line has a quote", "line 1: a quote without an end");
  refused("\"x.png\"y,1\n", "a line has a quote", "line 1: something follows");
  refused("x.png,a\nx.png,\n", "a label is blank", "line 2: x.png");
  refused("x.png,a\n\nx.png,a\n", "a line is blank", "line 2 is blank");
  refused("x.png,1\ngone.png,1\n", "an image of it cannot be opened", "gone.png: cannot open");
  expect_refused(dir.put("list.csv", "x.png,1\n"), {"have their own"}, dir.path("list.csv"));
}

TEST(IdxImages, PlainOrPackedWithLabelsBeside) {
  const ImageDir dir;
  const std::string images = idx_bytes({3, 2, 2}, counting(12)), labels = idx_bytes({3}, counting(3));
  for (const bool packed : {false, true}) {
    const std::string path = dir.put(packed ? "p/train-images-idx3-ubyte.gz" : "train-images-idx3-ubyte",
                                     packed ? gzip_bytes(images) : images);
    EXPECT_FALSE(open_images(path)->labels());
    dir.put(packed ? "p/train-labels-idx1-ubyte" : "train-labels-idx1-ubyte.gz", packed ? labels : gzip_bytes(labels));
    const auto source = open_images(path);
    EXPECT_EQ(source->labels(), (Labels{0, 1, 2}));
    EXPECT_FALSE(source->classes());
    EXPECT_EQ(source->read(1).pixels, (std::vector<uint8_t>{4, 5, 6, 7}));
    EXPECT_EQ(source->name(2), path + ": image 2");
  }
  EXPECT_EQ(open_images(dir.path("train-images-idx3-ubyte"))->fingerprint(),
            open_images(dir.path("p/train-images-idx3-ubyte.gz"))->fingerprint());
  const auto colour = open_images(dir.put("c.idx", idx_bytes({1, 2, 1, 3}, counting(6))),
                                  {dir.put("y.npy", npy_bytes("<i4", "(1,)", {"\7\0\0\0", 4}))});
  EXPECT_EQ(colour->read(0).channels, 3u);
  EXPECT_EQ(colour->read(0).height, 2u);
  EXPECT_EQ(colour->labels(), (Labels{7}));
}

TEST(IdxImages, RefusesDamage) {
  const ImageDir dir;
  const std::string good = idx_bytes({3, 2, 2}, counting(12)), packed = gzip_bytes(good);
  const auto refused = [&](const std::string& bytes, std::string_view word) {
    expect_refused(dir.put("x.idx", bytes), {"x.idx: ", word});
  };
  refused(good + "x", "more bytes");
  refused(good.substr(0, 20), "4 bytes of data");
  refused(good.substr(0, 10), "header is cut short");
  refused(gzip_bytes(good + "x"), "more bytes");
  refused(gzip_bytes(good.substr(0, 20)), "4 bytes of data");
  refused(packed.substr(0, packed.size() - 6), "cut short");
  refused(packed.substr(0, 12), "cut short");
  std::string damaged = packed;
  damaged[packed.size() - 6] = static_cast<char>(damaged[packed.size() - 6] ^ 1);
  refused(damaged, "damaged");
  refused(idx_bytes({0, 2, 2}, ""), "no image");
  refused(idx_bytes({2, 0, 2}, ""), "without pixels");
  refused(idx_bytes({4, 3}, counting(12)), "shape (4, 3)");
  refused(idx_bytes({1, 2, 3, 2}, counting(12)), "shape (1, 2, 3, 2)");
  refused(idx_bytes({0xffffffff, 0xffffffff, 0xffffffff}, ""), "more than any file");
  refused(idx_bytes({0, 0xffffffff, 0xffffffff}, ""), "at most");
  refused(std::string("\0\0\x0d\x03", 4) + good.substr(4), "unsigned bytes");
  refused("no images", "no kind of images");
  expect_refused(dir.put("x.idx", good), {"3 images and 2 labels"}, dir.put("y", idx_bytes({2}, "ab")));
}

std::string cifar(size_t labels, int label, int value) {
  std::string record(labels, static_cast<char>(label));
  for (int c = 0; c < 3; ++c)
    record += std::string(1, static_cast<char>(value + c)) + std::string(1023, static_cast<char>(10 + c));
  return record;
}

TEST(Cifar, ReadsOneFileOrAllBatches) {
  const ImageDir dir;
  dir.put("data_batch_2.bin", cifar(1, 9, 50));
  dir.put("data_batch_1.bin", cifar(1, 3, 100) + cifar(1, 0, 200));
  dir.put("test_batch.bin", cifar(1, 5, 30));
  const auto all = open_images(dir.path(""));
  EXPECT_EQ(values(*all), (std::vector<int>{100, 200, 50}));
  EXPECT_EQ(all->labels(), (Labels{3, 0, 9}));
  EXPECT_EQ(all->classes()->size(), 10u);
  EXPECT_EQ(all->name(2), dir.path("data_batch_2.bin") + ": image 0");
  const Image image = all->read(0);
  EXPECT_EQ(image.width * image.height * image.channels, 3072u);
  EXPECT_TRUE(std::equal(image.pixels.begin(), image.pixels.begin() + 6,
                         std::vector<uint8_t>{100, 101, 102, 10, 11, 12}.begin()));
  dir.put("batches.meta.txt", "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n");
  const auto test = open_images(dir.path("test_batch.bin"));
  EXPECT_EQ(test->size(), 1u);
  EXPECT_EQ(test->classes()->name(5), "dog");
  EXPECT_NE(test->fingerprint(), all->fingerprint());
}

TEST(Cifar, TellsHundredFromTen) {
  const ImageDir dir;
  const auto source = open_images(dir.put("train.bin", cifar(2, 77, 1) + cifar(2, 99, 2)));
  EXPECT_EQ(source->labels(), (Labels{77, 99}));
  EXPECT_EQ(source->classes()->size(), 100u);
  EXPECT_EQ(values(*source), (std::vector<int>{1, 2}));
  expect_record_refused(dir.put("data_batch_1.bin", cifar(1, 10, 1)), "data_batch_1.bin: a label is beyond",
                        "image 0 has label 10");
  expect_refused(dir.put("x.bin", "12345"), {"x.bin: ", "no whole number"});
  expect_refused(dir.put("cut/data_batch_1.bin", "12345").substr(0, dir.path("cut").size()), {"5 bytes"});
  dir.put("fine_label_names.txt", "apple\n");
  expect_refused(dir.path("train.bin"), {"fine_label_names.txt: 1 names", "100"});
}

TEST(Stl10, ReadsColumnsAndLabelsFromOne) {
  const ImageDir dir;
  std::string record(96 * 96 * 3, '\0');
  record[0] = 1;            // red of the corner
  record[1] = 2;            // red of the pixel below it
  record[96] = 3;           // red of the pixel to its right
  record[96 * 96 + 1] = 4;  // green of the pixel below
  const std::string path = dir.put("train_X.bin", record + record);
  EXPECT_FALSE(open_images(path)->labels());
  dir.put("train_y.bin", "\x01\x0a");
  const auto source = open_images(path);
  EXPECT_EQ(source->labels(), (Labels{0, 9}));
  EXPECT_EQ(source->classes()->size(), 10u);
  const Image image = source->read(1);
  EXPECT_EQ(image.pixels[0], 1);
  EXPECT_EQ(image.pixels[96 * 3], 2);
  EXPECT_EQ(image.pixels[3], 3);
  EXPECT_EQ(image.pixels[96 * 3 + 1], 4);
  dir.put("train_y.bin", {"\x01\x00", 2});
  expect_record_refused(path, "train_y.bin: STL-10's labels", "entry 1 is 0");
}

TEST(NpyImages, ReadsGreyAndColour) {
  const ImageDir dir;
  const auto grey = open_images(dir.put("g.npy", npy_bytes("|u1", "(2, 1, 3)", counting(6))),
                                {dir.put("y.npy", npy_bytes("|u1", "(2,)", "\5\6"))});
  EXPECT_EQ(grey->read(1).pixels, (std::vector<uint8_t>{3, 4, 5}));
  EXPECT_EQ(grey->read(1).width, 3u);
  EXPECT_EQ(grey->labels(), (Labels{5, 6}));
  EXPECT_EQ(open_images(dir.put("c.npy", npy_bytes("|u1", "(2, 1, 1, 3)", counting(6))))->read(1).channels, 3u);
  expect_refused(dir.put("f.npy", npy_bytes("<f4", "(1, 1, 1)", "0123")), {"f.npy: ", "uint8"});
  expect_refused(dir.put("t.npy", npy_bytes("|u1", "(1, 3, 2, 2)", counting(12))),
                 {"t.npy: ", "transpose(0, 2, 3, 1)"});
  expect_refused(dir.put("m.npy", npy_bytes("|u1", "(3, 4)", counting(12))), {"shape (3, 4)"});
}

}  // namespace
}  // namespace dppl
