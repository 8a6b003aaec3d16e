#include <fmt/format.h>

#include <filesystem>

#include "base/mapped_file.h"
#include "dppl/invalid_record.h"
#include "images/packed.h"
#include "images/sources.h"

namespace dppl {
namespace {

// Three planes of 96 × 96, each column by column.
constexpr RecordFormat kFormat{
    .width = 96, .height = 96, .channels = 3, .order = RecordFormat::Order::column_planes, .offset = 0};
constexpr std::string_view kEnding = "_X.bin";
constexpr size_t kClasses = 10;

// One byte an image, 1 … 10.
std::vector<int64_t> read_bytes(const std::string& path) {
  const MappedFile file(path);
  std::vector<int64_t> labels;
  for (const std::byte byte : file.bytes()) {
    labels.push_back(static_cast<int64_t>(byte) - 1);
    if (labels.back() < 0 || labels.back() >= static_cast<int64_t>(kClasses)) {
      throw InvalidRecord(fmt::format("{}: STL-10's labels are 1 … 10, and one is not; download the file again", path),
                          fmt::format("entry {} is {}", labels.size() - 1, labels.back() + 1));
    }
  }
  return labels;
}

}  // namespace

bool is_stl10(const std::string& path, size_t bytes) {
  return path.ends_with(kEnding) && bytes > 0 && bytes % kFormat.record_size() == 0;
}

std::unique_ptr<ImageSource> open_stl10(const std::string& path, const std::string& labels) {
  const auto file = std::make_shared<const MappedFile>(path);
  const std::string own = path.substr(0, path.size() - kEnding.size()) + "_y.bin";
  const std::string from = labels.empty() ? beside(own, std::filesystem::path(own).filename().string()) : labels;
  std::optional<std::vector<int64_t>> numbers;
  if (!from.empty()) numbers = from.ends_with(".bin") ? read_bytes(from) : read_image_labels(from);
  return std::make_unique<PackedImages>(kFormat, std::vector<RecordFile>{{path, file, file->bytes()}},
                                        std::move(numbers), classes_beside(path, "class_names.txt", kClasses));
}

}  // namespace dppl
