#include "base/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "base/constants.h"
#include "base/mapped_file_testing.h"
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

std::atomic<size_t> mapped{0}, resident_mappings{kResidentMappings};

// Whole pages around a part: who gives back a page that another thread still reads only makes it come again.
void advise(std::span<const std::byte> file, std::span<const std::byte> part, int advice) {
  if (part.empty()) return;
  static const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const auto offset = static_cast<size_t>(part.data() - file.data());
  const size_t begin = offset / page * page, end = std::min(offset + part.size(), file.size());
  ::madvise(const_cast<std::byte*>(file.data()) + begin, end - begin, advice);  // a refusal changes nothing
}

}  // namespace

void set_resident_mappings(size_t bytes) { resident_mappings = bytes; }

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
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (memory == MAP_FAILED) throw system_error(path, "cannot map into memory");
  ::madvise(memory, size, MADV_SEQUENTIAL);  // advice: a refusal changes nothing
  data_ = static_cast<const std::byte*>(memory);
  size_ = size;
  mapped += size;
}

MappedFile::~MappedFile() {
  if (data_ == nullptr) return;
  ::munmap(const_cast<std::byte*>(data_), size_);
  mapped -= size_;
}

void MappedFile::expect(std::span<const std::byte> part) const { advise(bytes(), part, MADV_WILLNEED); }

void MappedFile::give_back(std::span<const std::byte> part) const {
  if (mapped <= resident_mappings || part.empty()) return;
  const auto begin = static_cast<size_t>(part.data() - data_), end = begin + part.size();
  const size_t piece = begin / kAlongWithAPage;
  // When a piece is walked over, because every call interrupts all processors that read the file.
  if (end < bytes().size() && end / kAlongWithAPage == piece) return;
  // Pages of the piece before were given back with it, and came along with those of this one.
  const size_t from = (piece - std::min<size_t>(piece, 1)) * kAlongWithAPage;
  advise(bytes(), bytes().subspan(from, end - from), MADV_DONTNEED);
}

}  // namespace dppl
