#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace dppl {

// A file that appears complete or not at all: written aside in the same directory, flushed to the disk by finish() and
// renamed by publish(). Without publish() nothing is left behind and an older file of that name stays as it was.
class AtomicFile {
 public:
  // Throws IoError when the directory cannot be written, InvalidInput when `path` is something else than a file.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Claims the space for a file of about `bytes` now, so that a full disk is found before the work and not after it.
  void reserve(uint64_t bytes);
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  // Over bytes that were written before, or beyond them; what nobody writes in between is zero.
  void write_at(uint64_t offset, std::span<const std::byte> bytes);
  void write_at(uint64_t offset, std::string_view text);
  // Once, when everything is written: it is on the disk, and what can still fail is the name.
  void finish();
  // Once, after finish().
  void publish();
  // Both.
  void commit();
  // The same after this text, which may be all of the file.
  void commit(std::string_view text);

 private:
  bool publish_new();  // false: the name is taken, or the file has one already

  std::string path_;  // as the caller said it, for messages
  std::string target_;
  std::string aside_;  // empty while the file has no name
  int fd_ = -1;
  uint64_t size_ = 0;
};

}  // namespace dppl
