#include "encoders/partial_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cassert>
#include <charconv>

#include "base/file_steps.h"
#include "base/mapped_file.h"
#include "base/system_error.h"
#include "dppl/error.h"

namespace dppl {
namespace {

constexpr std::string_view kTitle = "dppl embed, how far: ";

// The next number of a line and the blank before it; empty when there is none.
std::optional<uint64_t> take_number(std::string_view& line) {
  if (!line.starts_with(' ')) return std::nullopt;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(line.data() + 1, line.data() + line.size(), value);
  if (error != std::errc() || end == line.data() + 1) return std::nullopt;
  line.remove_prefix(static_cast<size_t>(end - line.data()));
  return value;
}

std::string first_line(std::string_view digest) { return fmt::format("{}{}\n", kTitle, digest); }

// One record line by line into `next`, which becomes the state at its end.
bool take_line(std::string_view line, PartialState& next, bool& whole) {
  whole = line.starts_with("done");
  if (!whole && !line.starts_with("bad ")) return false;
  line.remove_prefix(whole ? 4 : 3);
  const std::optional<uint64_t> first = take_number(line);
  if (!first) return false;
  if (!whole) {
    if (!next.bad.empty() && *first <= next.bad.back()) return false;
    next.bad.push_back(*first);
    return line.empty();
  }
  const std::optional<uint64_t> rows = take_number(line);
  if (!rows || !line.empty() || *first < next.images || *rows < next.rows || *rows + next.bad.size() != *first) {
    return false;
  }
  next.images = *first;
  next.rows = *rows;
  return next.bad.empty() || next.bad.back() < next.images;
}

}  // namespace

std::optional<PartialState> parse_partial_state(std::string_view text, std::string_view digest) {
  const std::string title = first_line(digest);
  if (!text.starts_with(title)) return std::nullopt;
  PartialState done, next;
  done.text_size = title.size();
  for (size_t at = title.size(); at < text.size();) {
    const size_t end = text.find('\n', at);
    if (end == text.npos) break;
    bool whole = false;
    if (!take_line(text.substr(at, end - at), next, whole)) return std::nullopt;
    at = end + 1;
    if (!whole) continue;
    next.text_size = at;
    done = next;
  }
  return done;
}

PartialFile::PartialFile(const std::string& path, const std::string& identity, uint64_t images, size_t header_size,
                         size_t row_size)
    : path_(path),
      target_(resolve_target(path)),
      rows_name_(target_ + ".partial"),
      state_name_(target_ + ".partial-state"),
      header_size_(header_size),
      row_size_(row_size) {
  try {
    open();
    go_on_or_start(to_hex(digest_of(identity)), images);
  } catch (...) {
    for (const int fd : {rows_fd_, state_fd_}) {
      if (fd >= 0) ::close(fd);
    }
    throw;
  }
}

PartialFile::~PartialFile() {
  if (!committed_ && state_.images == 0) {
    ::unlink(rows_name_.c_str());
    ::unlink(state_name_.c_str());
  }
  ::close(rows_fd_);
  ::close(state_fd_);
}

void PartialFile::open() {
  state_fd_ = ::open(state_name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (state_fd_ < 0) throw system_error(path_, "cannot write " + state_name_);
  if (::flock(state_fd_, LOCK_EX | LOCK_NB) != 0) {
    throw IoError(fmt::format("{}: another process is writing it; wait for that one, or name another file", path_));
  }
  rows_fd_ = ::open(rows_name_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (rows_fd_ < 0) throw system_error(path_, "cannot write " + rows_name_);
}

std::string PartialFile::read_state() const {
  std::string text;
  char buffer[1 << 16];
  ssize_t got = 0;
  while ((got = ::pread(state_fd_, buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0) {
    text.append(buffer, static_cast<size_t>(got));
  }
  if (got < 0) throw system_error(state_name_, "cannot read");
  return text;
}

void PartialFile::go_on_or_start(const std::string& digest, uint64_t images) {
  struct stat status {};
  if (::fstat(rows_fd_, &status) != 0) throw system_error(rows_name_, "cannot read");
  const std::string text = read_state();
  std::optional<PartialState> found = parse_partial_state(text, digest);
  const auto there = static_cast<uint64_t>(status.st_size);
  const bool fits =
      found && found->images <= images && there >= header_size_ && (there - header_size_) / row_size_ >= found->rows;
  replaced_ = !fits && !text.empty() && there > 0;
  if (fits) {
    state_ = std::move(*found);
  } else {
    const std::string title = first_line(digest);
    if (::ftruncate(state_fd_, 0) != 0) throw system_error(state_name_, "cannot write");
    write_at(state_fd_, 0, std::as_bytes(std::span(title)), state_name_);
    state_.text_size = title.size();
  }
  const uint64_t size = header_size_ + state_.rows * row_size_;
  if (::ftruncate(rows_fd_, static_cast<off_t>(size)) != 0 ||
      ::ftruncate(state_fd_, static_cast<off_t>(state_.text_size)) != 0) {
    throw system_error(path_, "cannot write");
  }
}

void PartialFile::append(std::span<const std::byte> rows, uint64_t images, std::span<const uint64_t> bad) {
  assert(rows.size() == (images - bad.size()) * row_size_);
  write_at(rows_fd_, header_size_ + state_.rows * row_size_, rows, path_);
  state_.rows += images - bad.size();
  state_.images += images;
  for (const uint64_t image : bad) {
    state_.bad.push_back(image);
    unsaved_ += fmt::format("bad {}\n", image);
  }
}

void PartialFile::checkpoint() {
  // Rows first: the state never promises what is not on the disk.
  if (::fdatasync(rows_fd_) != 0) throw system_error(path_, "cannot write");
  unsaved_ += fmt::format("done {} {}\n", state_.images, state_.rows);
  write_at(state_fd_, state_.text_size, std::as_bytes(std::span(unsaved_)), path_);
  state_.text_size += unsaved_.size();
  unsaved_.clear();
  if (::fdatasync(state_fd_) != 0) throw system_error(path_, "cannot write");
}

Digest PartialFile::digest(std::string_view header) const {
  const MappedFile file(rows_name_);
  return digest_of(std::as_bytes(std::span(header)), file.bytes().subspan(header_size_, state_.rows * row_size_));
}

void PartialFile::commit(std::string_view header) {
  assert(header.size() == header_size_ && !committed_);
  write_at(rows_fd_, 0, std::as_bytes(std::span(header)), path_);
  if (::fsync(rows_fd_) != 0 || ::rename(rows_name_.c_str(), target_.c_str()) != 0) {
    throw system_error(path_, "cannot write");
  }
  committed_ = true;
  ::unlink(state_name_.c_str());
  flush_directory(directory_of(target_), path_);
}

}  // namespace dppl
