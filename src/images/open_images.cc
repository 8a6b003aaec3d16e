#include <fmt/format.h>

#include <filesystem>

#include "base/mapped_file.h"
#include "dppl/error.h"
#include "images/decode.h"
#include "images/idx.h"
#include "images/sources.h"

namespace dppl {
namespace {

std::unique_ptr<ImageSource> without_labels_file(std::unique_ptr<ImageSource> source, const std::string& path,
                                                 const std::string& labels) {
  if (!labels.empty()) {
    throw InvalidInput(
        fmt::format("{}: labels from {} are for images that come as one file (IDX, STL-10, .npy); a "
                    "folder, a list and CIFAR have their own",
                    path, labels));
  }
  return source;
}

}  // namespace

std::unique_ptr<ImageSource> open_images(const std::string& path, const ImageOptions& options) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return without_labels_file(open_folder(path), path, options.labels);
  }
  const MappedFile file(path);
  const std::string_view text = file.text();
  if (path.ends_with(".csv")) return without_labels_file(open_csv(path), path, options.labels);
  if (is_stl10(path, text.size())) return open_stl10(path, options.labels);
  if (is_cifar(path, text.size())) return without_labels_file(open_cifar(path, text.size()), path, options.labels);
  if (text.starts_with("\x93NUMPY")) return open_npy(path, options.labels);
  if (is_idx(file.bytes(), path)) return open_idx(path, options.labels);
  throw InvalidInput(
      fmt::format("{}: {}; give a folder of images, a .csv of paths, an IDX file, a .bin of CIFAR or "
                  "STL-10, or a .npy of uint8 images",
                  path,
                  text.empty()             ? "is empty"
                  : has_image_name(path)   ? "is one image"
                  : path.ends_with(".bin") ? "is no whole number of CIFAR or STL-10 images"
                                           : "is no kind of images that is known"));
}

}  // namespace dppl
