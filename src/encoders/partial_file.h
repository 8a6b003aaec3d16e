#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"

namespace dppl {

// How far a run has come: rows of the images before `images` are written, but for those of the bad ones.
struct PartialState {
  uint64_t images = 0, rows = 0;
  std::vector<uint64_t> bad;
  size_t text_size = 0;  // of the state file, up to the last whole record
};

// The state file: a line that names the run by a digest, then records, each with a line for every bad image in it.
// Whatever is not whole at its end was being written when the run was killed and does not count.
// Empty when the text is of another run or was damaged.
std::optional<PartialState> parse_partial_state(std::string_view text, std::string_view digest);

// A file of rows that is written over several runs. Until commit() it is PATH.partial, with how far it has come in
// PATH.partial-state; both stay when the process ends before, unless nothing was done. One process at a time (another
// one is refused with IoError).
class PartialFile {
 public:
  // `identity` is all that decides what the rows of so many images will be: with another one, what is there is thrown
  // away.
  PartialFile(const std::string& path, const std::string& identity, uint64_t images, size_t header_size,
              size_t row_size);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const PartialState& state() const { return state_; }
  // There was something of another run.
  bool replaced() const { return replaced_; }

  // The rows of the next `images` images; `bad` are the numbers of those that have none.
  void append(std::span<const std::byte> rows, uint64_t images, std::span<const uint64_t> bad);
  // What was appended is safe from now on.
  void checkpoint();
  // Of the file that commit() would make of this header.
  Digest digest(std::string_view header) const;
  // Puts the header (header_size bytes) in front and gives the file its name. Once, at the end.
  void commit(std::string_view header);

 private:
  void open();
  void go_on_or_start(const std::string& digest, uint64_t images);
  std::string read_state() const;

  std::string path_, target_, rows_name_, state_name_;
  size_t header_size_, row_size_;
  int rows_fd_ = -1, state_fd_ = -1;
  PartialState state_;
  std::string unsaved_;  // lines of bad images that the next checkpoint writes
  bool replaced_ = false, committed_ = false;
};

}  // namespace dppl
