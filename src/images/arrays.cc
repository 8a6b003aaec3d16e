// Images that are published as one array: IDX and .npy.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "base/mapped_file.h"
#include "dppl/error.h"
#include "images/idx.h"
#include "images/packed.h"
#include "images/sources.h"
#include "rows/npy.h"

namespace dppl {
namespace {

// Images × height × width, or images × height × width × channels.
RecordFormat format_of(const std::vector<uint64_t>& shape, const std::string& path) {
  const size_t channels = shape.size() == 4 ? shape[3] : 1;
  if (shape.size() < 3 || shape.size() > 4 || (channels != 1 && channels != 3)) {
    throw InvalidInput(
        fmt::format("{}: shape ({}) where images × height × width, or × 1 or 3 channels after it, is needed{}", path,
                    fmt::join(shape, ", "),
                    shape.size() == 4 && (shape[1] == 1 || shape[1] == 3) ? "; use x.transpose(0, 2, 3, 1)" : ""));
  }
  return {.width = shape[2], .height = shape[1], .channels = channels};
}

std::unique_ptr<ImageSource> packed(const std::vector<uint64_t>& shape, RecordFile file, const std::string& labels) {
  const RecordFormat format = format_of(shape, file.path);
  std::optional<std::vector<int64_t>> numbers;
  if (!labels.empty()) numbers = read_image_labels(labels);
  return std::make_unique<PackedImages>(format, std::vector<RecordFile>{std::move(file)}, std::move(numbers),
                                        std::nullopt);
}

IdxArray read_idx(const std::string& path) {
  const auto file = std::make_shared<const MappedFile>(path);
  return parse_idx(file->bytes(), file, path);
}

// train-images-idx3-ubyte.gz → train-labels-idx1-ubyte.gz, or the same without .gz; empty where there is none.
std::string idx_labels_beside(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  for (const auto& [images, labels] : {std::pair{"images", "labels"}, std::pair{"idx3", "idx1"}}) {
    const size_t at = name.find(images);
    if (at == std::string::npos) return {};
    name.replace(at, std::string_view(images).size(), labels);
  }
  const bool packed = name.ends_with(".gz");
  const std::string other = packed ? name.substr(0, name.size() - 3) : name + ".gz";
  const std::string found = beside(path, name);
  return found.empty() ? beside(path, other) : found;
}

}  // namespace

std::unique_ptr<ImageSource> open_idx(const std::string& path, const std::string& labels) {
  const IdxArray array = read_idx(path);
  return packed(array.shape, {path, array.owner, array.data}, labels.empty() ? idx_labels_beside(path) : labels);
}

std::unique_ptr<ImageSource> open_npy(const std::string& path, const std::string& labels) {
  const auto file = std::make_shared<const MappedFile>(path);
  const NpyArray array = parse_npy(file->bytes(), path);
  if (array.dtype != DType::uint8) {
    throw InvalidInput(fmt::format("{}: holds {} where the pixels of images are needed; save them as uint8, 0 … 255",
                                   path, to_string(array.dtype)));
  }
  return packed(array.shape, {path, file, array.data}, labels);
}

std::vector<int64_t> read_image_labels(const std::string& path) {
  const auto file = std::make_shared<const MappedFile>(path);
  if (!is_idx(file->bytes(), path)) return integers_of(parse_npy(file->bytes(), path), path);
  const IdxArray array = parse_idx(file->bytes(), file, path);
  return integers_of({DType::uint8, array.shape, array.data}, path);
}

}  // namespace dppl
