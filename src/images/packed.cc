#include "images/packed.h"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "base/digest.h"
#include "dppl/error.h"
#include "images/limits.h"

namespace dppl {
namespace {

// From one channel after the other to one pixel after the other.
void interleave(const uint8_t* plane, const RecordFormat& format, uint8_t* out) {
  const bool by_columns = format.order == RecordFormat::Order::column_planes;
  const size_t right = by_columns ? format.height : 1, down = by_columns ? 1 : format.width;
  for (size_t c = 0; c < format.channels; ++c, plane += format.width * format.height) {
    for (size_t y = 0; y < format.height; ++y) {
      for (size_t x = 0; x < format.width; ++x) {
        out[(y * format.width + x) * format.channels + c] = plane[y * down + x * right];
      }
    }
  }
}

}  // namespace

PackedImages::PackedImages(const RecordFormat& format, std::vector<RecordFile> files,
                           std::optional<std::vector<int64_t>> labels, std::optional<ClassSet> classes)
    : format_(format), files_(std::move(files)), labels_(std::move(labels)), classes_(std::move(classes)) {
  check_image_size(format.width, format.height, files_.at(0).path);
  for (const RecordFile& file : files_) size_ += file.data.size() / format.record_size();
  if (size_ == 0) throw InvalidInput(fmt::format("{}: holds no image", files_.at(0).path));
  if (labels_ && labels_->size() != size_) {
    throw InvalidInput(fmt::format("{}: {} images and {} labels; give the labels that belong to these images",
                                   files_.at(0).path, size_, labels_->size()));
  }
}

PackedImages::Place PackedImages::place(size_t i) const {
  for (const RecordFile& file : files_) {
    const size_t records = file.data.size() / format_.record_size();
    if (i < records) return {&file, i};
    i -= records;
  }
  throw std::out_of_range("image number");
}

Image PackedImages::read(size_t i) const {
  const Place at = place(i);
  const std::byte* record = at.file->data.data() + at.record * format_.record_size() + format_.offset;
  Image image{format_.width, format_.height, format_.channels, std::vector<uint8_t>(format_.image_size())};
  if (format_.order == RecordFormat::Order::interleaved) {
    std::memcpy(image.pixels.data(), record, image.pixels.size());
  } else {
    interleave(reinterpret_cast<const uint8_t*>(record), format_, image.pixels.data());
  }
  return image;
}

std::string PackedImages::name(size_t i) const {
  const Place at = place(i);
  return fmt::format("{}: image {}", at.file->path, at.record);
}

std::string PackedImages::fingerprint() const {
  std::string text = fmt::format("{} × {} × {}", format_.width, format_.height, format_.channels);
  for (const RecordFile& file : files_) text += to_hex(digest_of(file.data));
  return to_hex(digest_of(text));
}

}  // namespace dppl
