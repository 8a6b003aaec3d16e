#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "dppl/embed.h"

namespace dppl {

// The labels of the images that have a row, and the names that a data set's publisher gave its classes. Opened before
// the work, so that what cannot be written is found then, and written when the work is done.
class LabelFiles {
 public:
  // Does nothing without options.labels. Throws InvalidInput when the images have no labels or have names for which no
  // classes are declared, and InvalidRecord for a label outside of the classes.
  LabelFiles(const ImageSource& source, std::span<const uint64_t> rows, const EmbedOptions& options);

  const std::string& names_path() const { return names_path_; }  // empty: none

  // `bad` are places in the rows that get no label, in order.
  void commit(const std::vector<uint64_t>& bad);
  // Whether the files hold that already.
  bool are_written(const std::vector<uint64_t>& bad) const;

 private:
  std::string text(const std::vector<uint64_t>& bad) const;

  std::vector<int64_t> labels_;  // of each row
  std::unique_ptr<AtomicFile> file_, names_;
  std::string path_, names_path_, names_text_;
};

}  // namespace dppl
