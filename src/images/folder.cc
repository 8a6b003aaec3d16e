#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "dppl/error.h"
#include "embeddings/system_error.h"
#include "images/decode.h"
#include "images/listed.h"
#include "images/sources.h"

namespace dppl {
namespace {

namespace fs = std::filesystem;

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

// What lies directly in a folder, hidden entries left out, each list in byte order.
struct Contents {
  std::vector<std::string> folders, images, batches;
};

Contents contents_of(const std::string& path) {
  Contents contents;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    if (is_hidden(entry.path())) continue;
    if (entry.is_directory()) {
      contents.folders.push_back(name);
    } else if (has_image_name(name)) {
      contents.images.push_back(name);
    } else if (name.starts_with("data_batch_") && name.ends_with(".bin")) {
      contents.batches.push_back(entry.path().string());
    }
  }
  for (auto* list : {&contents.folders, &contents.images, &contents.batches}) std::sort(list->begin(), list->end());
  return contents;
}

// The images at any depth below a class folder, relative to `root`, in byte order.
std::vector<std::string> images_below(const fs::path& root, const std::string& folder) {
  std::vector<std::string> names;
  fs::recursive_directory_iterator entry(root / folder);
  for (; entry != fs::recursive_directory_iterator(); ++entry) {
    if (is_hidden(entry->path())) {
      entry.disable_recursion_pending();
    } else if (!entry->is_directory() && has_image_name(entry->path().string())) {
      names.push_back(entry->path().lexically_relative(root).string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

ClassSet classes_of(const std::string& path, const std::vector<std::string>& folders) {
  try {
    return ClassSet::named(folders);
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("{}: folders name classes: {}; rename the folder", path, error.what()));
  }
}

std::unique_ptr<ImageSource> open_classes(const std::string& path, const std::vector<std::string>& folders) {
  std::vector<std::string> names;
  std::vector<int64_t> labels;
  for (size_t c = 0; c < folders.size(); ++c) {
    for (std::string& name : images_below(path, folders[c])) {
      names.push_back(std::move(name));
      labels.push_back(static_cast<int64_t>(c));
    }
  }
  if (names.empty()) throw InvalidInput(fmt::format("{}: no .jpg, .jpeg or .png in its folders", path));
  return std::make_unique<ListedImages>(path, std::move(names), std::move(labels), classes_of(path, folders));
}

std::unique_ptr<ImageSource> open_contents(const std::string& path, Contents contents) {
  if (!contents.batches.empty()) return open_cifar10(contents.batches);
  if (!contents.folders.empty() && !contents.images.empty()) {
    throw InvalidInput(
        fmt::format("{}: has images beside folders ({} and {}); put each image into the folder of its "
                    "class, or all into one folder without others",
                    path, contents.images.front(), contents.folders.front()));
  }
  if (!contents.folders.empty()) return open_classes(path, contents.folders);
  if (contents.images.empty()) {
    throw InvalidInput(fmt::format("{}: no .jpg, .jpeg or .png in it; of a data set in files, name the file", path));
  }
  return std::make_unique<ListedImages>(path, std::move(contents.images), std::nullopt, std::nullopt);
}

}  // namespace

std::unique_ptr<ImageSource> open_folder(const std::string& path) {
  try {
    return open_contents(path, contents_of(path));
  } catch (const fs::filesystem_error& error) {
    throw system_error(error.path1().string(), "cannot read", error.code().value());
  }
}

}  // namespace dppl
