#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/system_error.h"
#include "dppl/invalid_record.h"
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

std::unique_ptr<ImageSource> open_classes(const std::string& path, std::vector<std::string> folders) {
  std::vector<std::string> names;
  NamedLabels labels{std::move(folders), {}};
  for (size_t c = 0; c < labels.names.size(); ++c) {
    for (std::string& name : images_below(path, labels.names[c])) {
      names.push_back(std::move(name));
      labels.of.push_back(c);
    }
  }
  if (names.empty()) throw InvalidInput(fmt::format("{}: no .jpg, .jpeg or .png in its folders", path));
  return std::make_unique<ListedImages>(path, path, std::move(names),
                                        ListedImages::Labels{std::nullopt, std::move(labels)});
}

std::unique_ptr<ImageSource> open_contents(const std::string& path, Contents contents) {
  if (!contents.batches.empty()) return open_cifar10(contents.batches);
  if (!contents.folders.empty() && !contents.images.empty()) {
    throw InvalidRecord(fmt::format("{}: has images beside folders; put each image into the folder of its class, or "
                                    "all into one folder without others",
                                    path),
                        fmt::format("{} and {}", contents.images.front(), contents.folders.front()));
  }
  if (!contents.folders.empty()) return open_classes(path, std::move(contents.folders));
  if (contents.images.empty()) {
    throw InvalidInput(fmt::format("{}: no .jpg, .jpeg or .png in it; of a data set in files, name the file", path));
  }
  return std::make_unique<ListedImages>(path, path, std::move(contents.images), ListedImages::Labels{});
}

}  // namespace

std::unique_ptr<ImageSource> open_folder(const std::string& path) {
  try {
    return open_contents(path, contents_of(path));
  } catch (const fs::filesystem_error& error) {
    const IoError refusal = system_error(error.path1().string(), "cannot read", error.code().value());
    if (error.path1() == path) throw refusal;
    throw InvalidRecord(fmt::format("{}: something in it cannot be read", path), refusal.what());
  }
}

}  // namespace dppl
