#include <fmt/format.h>

#include <filesystem>

#include "base/mapped_file.h"
#include "dppl/invalid_record.h"
#include "images/packed.h"
#include "images/sources.h"

namespace dppl {
namespace {

// A record is one label (CIFAR-10) or a coarse and a fine one (CIFAR-100), then three planes of 32 × 32.
struct Kind {
  std::string_view name;
  size_t labels, classes;
  const char* names_file;

  RecordFormat format() const {
    return {.width = 32, .height = 32, .channels = 3, .order = RecordFormat::Order::planes, .offset = labels};
  }
};
constexpr Kind kCifar10{"CIFAR-10", 1, 10, "batches.meta.txt"};
constexpr Kind kCifar100{"CIFAR-100", 2, 100, "fine_label_names.txt"};

bool fits(const Kind& kind, size_t bytes) { return bytes > 0 && bytes % kind.format().record_size() == 0; }

std::vector<int64_t> labels_of(const Kind& kind, const std::vector<RecordFile>& files) {
  std::vector<int64_t> labels;
  const size_t record_size = kind.format().record_size();
  for (const RecordFile& file : files) {
    for (size_t at = 0; at < file.data.size(); at += record_size) {
      const auto label = static_cast<int64_t>(file.data[at + kind.labels - 1]);
      if (label >= static_cast<int64_t>(kind.classes)) {
        throw InvalidRecord(fmt::format("{}: a label is beyond the classes of {}, so this is not its binary version; "
                                        "download that",
                                        file.path, kind.name),
                            fmt::format("image {} has label {}", at / record_size, label));
      }
      labels.push_back(label);
    }
  }
  return labels;
}

std::unique_ptr<ImageSource> open(const Kind& kind, const std::vector<std::string>& paths) {
  std::vector<RecordFile> files;
  for (const std::string& path : paths) {
    const auto file = std::make_shared<const MappedFile>(path);
    if (!fits(kind, file->bytes().size())) {
      throw InvalidInput(fmt::format("{}: {} bytes are not whole images of {}; copy or download the file again", path,
                                     file->bytes().size(), kind.name));
    }
    files.push_back({path, file, file->bytes()});
  }
  std::vector<int64_t> labels = labels_of(kind, files);
  return std::make_unique<PackedImages>(kind.format(), std::move(files), std::move(labels),
                                        classes_beside(paths.at(0), kind.names_file, kind.classes));
}

}  // namespace

bool is_cifar(const std::string& path, size_t bytes) {
  return path.ends_with(".bin") && (fits(kCifar10, bytes) || fits(kCifar100, bytes));
}

std::unique_ptr<ImageSource> open_cifar(const std::string& path, size_t bytes) {
  const bool batch = std::filesystem::path(path).filename().string().find("batch") != std::string::npos;
  const bool ten = fits(kCifar10, bytes) && (batch || !fits(kCifar100, bytes));
  return open(ten ? kCifar10 : kCifar100, {path});
}

std::unique_ptr<ImageSource> open_cifar10(const std::vector<std::string>& paths) { return open(kCifar10, paths); }

}  // namespace dppl
