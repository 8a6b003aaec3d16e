#include "base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <utility>

#include "base/file_steps.h"
#include "base/system_error.h"

namespace dppl {
namespace {

std::string proc_name(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

// A file without a name, which is gone when the process ends, however it ends; -1 where the system cannot.
int open_nameless(const std::string& directory) {
  const int fd = ::open(directory.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  if (fd < 0 || ::access(proc_name(fd).c_str(), F_OK) == 0) return fd;
  ::close(fd);
  return -1;
}

// Calls make(name) with names beside the target until one is free; -1 and errno otherwise.
template <typename Make>
int with_free_name(const std::string& directory, std::string& aside, Make make) {
  static std::atomic<uint64_t> count{0};
  // Another process of the same number may have died here: try the next name.
  for (int attempt = 0; attempt < 1000; ++attempt) {
    aside = fmt::format("{}/.dppl-{}-{}.tmp", directory, ::getpid(), count.fetch_add(1));
    const int made = make(aside.c_str());
    if (made >= 0 || errno != EEXIST) return made;
  }
  return -1;
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(resolve_target(path)) {
  const std::string directory = directory_of(target_);
  fd_ = open_nameless(directory);
  if (fd_ >= 0) return;
  fd_ = with_free_name(directory, aside_,
                       [](const char* name) { return ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
  if (fd_ < 0) throw system_error(path_, "cannot write");
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!aside_.empty()) ::unlink(aside_.c_str());
}

void AtomicFile::reserve(uint64_t bytes) {
  const int error = ::posix_fallocate(fd_, 0, static_cast<off_t>(std::max<uint64_t>(bytes, 1)));
  // Some file systems cannot promise space; then the writes will tell.
  if (error != 0 && error != EOPNOTSUPP && error != EINVAL) throw system_error(path_, "cannot write", error);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  assert(fd_ >= 0);
  dppl::write_at(fd_, size_, bytes, path_);
  size_ += bytes.size();
}

void AtomicFile::write(std::string_view text) { write(std::as_bytes(std::span(text))); }

void AtomicFile::write_at(uint64_t offset, std::span<const std::byte> bytes) {
  assert(fd_ >= 0);
  dppl::write_at(fd_, offset, bytes, path_);
  size_ = std::max(size_, offset + bytes.size());
}

void AtomicFile::write_at(uint64_t offset, std::string_view text) { write_at(offset, std::as_bytes(std::span(text))); }

void AtomicFile::finish() {
  assert(fd_ >= 0);
  if (::ftruncate(fd_, static_cast<off_t>(size_)) != 0)
    throw system_error(path_, "cannot write");  // what was reserved and not used
  if (::fsync(fd_) != 0) throw system_error(path_, "cannot write");
}

// A new name in one step: a kill leaves the file or nothing, not even another name of it.
bool AtomicFile::publish_new() {
  if (::linkat(AT_FDCWD, proc_name(fd_).c_str(), AT_FDCWD, target_.c_str(), AT_SYMLINK_FOLLOW) != 0) return false;
  const int closed = ::close(fd_);
  fd_ = -1;
  if (closed != 0) throw system_error(path_, "cannot write");
  flush_directory(directory_of(target_), path_);
  return true;
}

void AtomicFile::publish() {
  assert(fd_ >= 0);
  if (aside_.empty() && publish_new()) return;
  if (aside_.empty()) {
    const int linked = with_free_name(directory_of(target_), aside_, [this](const char* name) {
      return ::linkat(AT_FDCWD, proc_name(fd_).c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
    });
    if (linked < 0) {
      aside_.clear();
      throw system_error(path_, "cannot write");
    }
  }
  const int closed = ::close(fd_);
  fd_ = -1;
  if (closed != 0) throw system_error(path_, "cannot write");
  const bool renamed = ::rename(aside_.c_str(), target_.c_str()) == 0;
  const int error = errno;
  const std::string finished = std::exchange(aside_, "");  // it is whole: whatever happens, it stays
  if (!renamed) throw system_error(path_, fmt::format("cannot be replaced; the finished file is {}", finished), error);
  flush_directory(directory_of(target_), path_);
}

void AtomicFile::commit() {
  finish();
  publish();
}

void AtomicFile::commit(std::string_view text) {
  write(text);
  commit();
}

}  // namespace dppl
