#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dppl/images.h"

namespace dppl {

// How one image lies in a record of a file, and in which order its values come.
struct RecordFormat {
  enum class Order {
    interleaved,    // as in Image
    planes,         // one channel after the other, each line by line
    column_planes,  // one channel after the other, each column by column
  };
  size_t width, height, channels;
  Order order = Order::interleaved;
  size_t offset = 0;  // of the first value in the record

  size_t image_size() const { return width * height * channels; }
  size_t record_size() const { return offset + image_size(); }
};

// Whole records, one after the other; `owner` keeps them alive.
struct RecordFile {
  std::string path;
  std::shared_ptr<const void> owner;
  std::span<const std::byte> data;
};

// Images of one size in one or more files, which are mapped or held in memory.
class PackedImages : public ImageSource {
 public:
  // Throws InvalidInput when there is no image, and when there are more or fewer labels than images.
  PackedImages(const RecordFormat& format, std::vector<RecordFile> files, std::optional<std::vector<int64_t>> labels,
               std::optional<ClassSet> classes);

  size_t size() const override { return size_; }
  Image read(size_t i) const override;
  std::string name(size_t i) const override;
  std::optional<std::vector<int64_t>> labels() const override { return labels_; }
  std::optional<ClassSet> classes() const override { return classes_; }
  // Of all bytes of the images.
  std::string fingerprint() const override;

 private:
  struct Place {
    const RecordFile* file;
    size_t record;
  };
  Place place(size_t i) const;

  RecordFormat format_;
  std::vector<RecordFile> files_;
  std::optional<std::vector<int64_t>> labels_;
  std::optional<ClassSet> classes_;
  size_t size_ = 0;
};

}  // namespace dppl
