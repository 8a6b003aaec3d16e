#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dppl/embeddings.h"

// Images as they come in from files: folders, lists, and the files in which public data sets are published. Readers
// throw IoError when the operating system refuses and InvalidInput when the contents cannot be used; the message names
// the file that was asked for. What is wrong with one image or label in it is an InvalidRecord.
namespace dppl {

// Rows from top to bottom, pixels from left to right, channels interleaved.
struct Image {
  size_t width = 0, height = 0, channels = 0;  // 1: grey, 3: RGB
  std::vector<uint8_t> pixels;                 // width × height × channels
};

struct PixelSize {
  size_t width = 0, height = 0;
  friend bool operator==(const PixelSize&, const PixelSize&) = default;
};
// Larger than any image: nothing is to be lost.
inline constexpr PixelSize kFullSize{std::numeric_limits<size_t>::max(), std::numeric_limits<size_t>::max()};

// Labels that are names: of folders, or texts in a list. They are private, and so is which of them occur: what number a
// name gets is for the declared classes to say.
struct NamedLabels {
  std::vector<std::string> names;  // distinct, in byte order; a folder without images is one too
  std::vector<size_t> of;          // of each image: its place in `names`
};

// A list of images in an order that depends on the source's contents alone. Safe to read from several threads.
class ImageSource {
 public:
  virtual ~ImageSource() = default;

  virtual size_t size() const = 0;
  // Decodes one image, upright. Throws InvalidInput for one that cannot be read.
  virtual Image read(size_t i) const = 0;
  // The same for one who makes it smaller anyway: where that is cheaper, it comes reduced in proportion, but to no less
  // than `least` either way.
  virtual Image read_at_least(size_t i, PixelSize least) const {
    static_cast<void>(least);
    return read(i);
  }
  // A path, or a file and the number of the image in it. As private as the image: for the curator's eyes alone.
  virtual std::string name(size_t i) const = 0;
  // Labels that are class numbers, one per image, where the source has such; and those that are names.
  virtual std::optional<std::vector<int64_t>> labels() const = 0;
  virtual std::optional<NamedLabels> named_labels() const { return std::nullopt; }
  // Whose image each one is, where the source says so: people may have several. As private as the images.
  virtual std::optional<std::vector<std::string>> people() const { return std::nullopt; }
  // The classes that the format fixes, named by the publisher's own file beside the images. Never derived from labels.
  virtual std::optional<ClassSet> classes() const = 0;
  // Changes whenever the list of images does: what a resumed run checks.
  virtual std::string fingerprint() const = 0;
};

// What `path` is follows from what is there: a folder of folders, a .csv, an IDX file (plain or gzip), a CIFAR-10,
// CIFAR-100 or STL-10 binary file, or a .npy of images.
struct ImageOptions {
  std::string labels;  // a separate file of labels, for sources that come in two files (IDX, STL-10, .npy)
};
std::unique_ptr<ImageSource> open_images(const std::string& path, const ImageOptions& options = {});

}  // namespace dppl
