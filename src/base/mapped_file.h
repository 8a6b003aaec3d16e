#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace dppl {

// A regular file, mapped read-only for reading from front to back.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

  // A part of the file that will soon be read: the disk may begin.
  void expect(std::span<const std::byte> part) const;
  // A part that was read and will not be read again soon. Its memory is given back where the files are large.
  void give_back(std::span<const std::byte> part) const;

 private:
  const std::byte* data_ = nullptr;  // null for an empty file
  size_t size_ = 0;
};

}  // namespace dppl
