#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dppl/images.h"

namespace dppl {

// One image a file, JPEG or PNG. Only names are kept in memory.
class ListedImages : public ImageSource {
 public:
  // `names` are relative to `root`. Throws IoError for a file that is not there.
  ListedImages(std::string root, std::vector<std::string> names, std::optional<std::vector<int64_t>> labels,
               std::optional<ClassSet> classes);

  size_t size() const override { return names_.size(); }
  Image read(size_t i) const override { return read_at_least(i, kFullSize); }
  Image read_at_least(size_t i, PixelSize least) const override;
  std::string name(size_t i) const override;
  std::optional<std::vector<int64_t>> labels() const override { return labels_; }
  std::optional<ClassSet> classes() const override { return classes_; }
  // Of the names and the sizes of the files.
  std::string fingerprint() const override { return fingerprint_; }

 private:
  std::string root_;
  std::vector<std::string> names_;
  std::optional<std::vector<int64_t>> labels_;
  std::optional<ClassSet> classes_;
  std::string fingerprint_;
};

}  // namespace dppl
