#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace dppl {

// What a file is, its first bytes say, not its name. False where it cannot be read.
bool begins_with(const std::string& path, std::string_view bytes);

// ---- The steps of writing a file safely. All throw IoError with `path`, which is the name that the caller knows.

// Where a file is to stand in the end. A link is followed, so that what it points to is replaced and not the link; a
// device such as /dev/null must not be replaced by a file at all (InvalidInput).
std::string resolve_target(const std::string& path);
std::string directory_of(const std::string& target);
void write_at(int fd, uint64_t offset, std::span<const std::byte> bytes, const std::string& path);
// A new name is safe from a power cut only once its directory is on the disk.
void flush_directory(const std::string& directory, const std::string& path);

}  // namespace dppl
