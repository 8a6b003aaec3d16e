#include "base/file_steps.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/system_error.h"
#include "dppl/error.h"

namespace dppl {

bool begins_with(const std::string& path, std::string_view bytes) {
  std::string start(bytes.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), static_cast<std::streamsize>(start.size())) && start == bytes;
}

std::string resolve_target(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT && !path.empty() && !path.ends_with('/')) return path;
    throw system_error(path, "cannot write");
  }
  if (!S_ISREG(status.st_mode)) {
    throw InvalidInput(fmt::format("{}: is a directory, a pipe or a device; name a regular file to write", path));
  }
  // An account that was replaced by a result would be lost for good.
  if (begins_with(path, {"SQLite format 3\0", 16})) {
    throw InvalidInput(
        fmt::format("{}: is a ledger or another SQLite data base, which is not overwritten; name another "
                    "file to write",
                    path));
  }
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  if (error) throw system_error(path, "cannot write", error.value());
  return target.string();
}

std::string directory_of(const std::string& target) {
  const std::string parent = std::filesystem::path(target).parent_path().string();
  return parent.empty() ? "." : parent;
}

void write_at(int fd, uint64_t offset, std::span<const std::byte> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw system_error(path, "cannot write");
    bytes = bytes.subspan(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
}

void flush_directory(const std::string& directory, const std::string& path) {
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) throw system_error(path, "cannot flush its directory");
  // Some file systems cannot flush directories and say EINVAL; there is nothing more to do on those.
  const bool failed = ::fsync(fd) != 0 && errno != EINVAL;
  const int error = errno;
  ::close(fd);
  if (failed) throw system_error(path, "cannot flush its directory", error);
}

}  // namespace dppl
