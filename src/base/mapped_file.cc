#include "base/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system_error.h"
#include "dppl/error.h"

namespace dppl {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { ::close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer before it could be refused.
  const int opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (opened < 0) throw system_error(path, "cannot open");
  const Descriptor file(opened);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw system_error(path, "cannot read");
  if (S_ISDIR(status.st_mode)) throw InvalidInput(fmt::format("{}: is a directory; give a file", path));
  if (!S_ISREG(status.st_mode)) {
    throw InvalidInput(fmt::format("{}: is a pipe or a device; write it to a regular file first", path));
  }
  if (status.st_size == 0) return;
  const size_t size = static_cast<size_t>(status.st_size);
  void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) throw system_error(path, "cannot map into memory");
  ::madvise(mapped, size, MADV_SEQUENTIAL);  // advice: a refusal changes nothing
  data_ = static_cast<const std::byte*>(mapped);
  size_ = size;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace dppl
