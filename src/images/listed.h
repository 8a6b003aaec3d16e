#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dppl/images.h"

namespace dppl {

// One image a file, JPEG or PNG. Only names are kept in memory.
class ListedImages : public ImageSource {
 public:
  struct Labels {
    std::optional<std::vector<int64_t>> numbers;
    std::optional<NamedLabels> named;
  };
  using People = std::optional<std::vector<std::string>>;
  // `names` are relative to `root`; `source` is what was asked for. Throws InvalidRecord for a file that is not there.
  ListedImages(const std::string& source, std::string root, std::vector<std::string> names, Labels labels,
               People people = std::nullopt);

  size_t size() const override { return names_.size(); }
  Image read(size_t i) const override { return read_at_least(i, kFullSize); }
  Image read_at_least(size_t i, PixelSize least) const override;
  std::string name(size_t i) const override;
  std::optional<std::vector<int64_t>> labels() const override { return labels_.numbers; }
  std::optional<NamedLabels> named_labels() const override { return labels_.named; }
  People people() const override { return people_; }
  std::optional<ClassSet> classes() const override { return std::nullopt; }
  // Of the names and the sizes of the files.
  std::string fingerprint() const override { return fingerprint_; }

 private:
  std::string root_;
  std::vector<std::string> names_;
  Labels labels_;
  People people_;
  std::string fingerprint_;
};

}  // namespace dppl
