#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "dppl/embed.h"

namespace dppl {

// The ids of the people whose images have a row. Like LabelFiles, found and opened before the work, and written when it
// is done.
class PeopleFile {
 public:
  // Does nothing without options.people. Throws InvalidInput when there is nothing to take ids from or the pattern
  // cannot be used, and InvalidRecord for an image whose id is missing or cannot stand in a line.
  PeopleFile(const ImageSource& source, std::span<const uint64_t> rows, const EmbedOptions& options);

  // `bad` are places in the rows that get no id, in order.
  void commit(const std::vector<uint64_t>& bad);
  // Whether the file holds that already.
  bool is_written(const std::vector<uint64_t>& bad) const;

 private:
  std::string text(const std::vector<uint64_t>& bad) const;

  std::vector<std::string> ids_;  // of each row
  std::string path_;
  std::unique_ptr<AtomicFile> file_;
};

}  // namespace dppl
