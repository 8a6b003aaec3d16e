#include "lab/sweep/run_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/file_steps.h"
#include "base/system_error.h"

namespace dppl {
namespace {

// Which byte's lock is the turn to write; claims have the bytes from kClaims on.
constexpr int64_t kWriting = int64_t{1} << 61, kClaims = int64_t{1} << 62;

std::string make_directory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw system_error(directory, "cannot make the directory", error.value());
  return directory + "/runs.jsonl";
}

// Two runs in one place would merely wait for each other.
int64_t place_of(const std::string& key) {
  const Digest digest = digest_of(key);
  int64_t place = 0;
  for (size_t i = 0; i < 7; ++i) place = place << 8 | std::to_integer<int64_t>(digest[i]);
  return kClaims + place;
}

}  // namespace

RunStore::RunStore(const std::string& directory) : path_(make_directory(directory)) {
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd_ < 0) throw system_error(path_, "cannot write");
  try {
    read_new();
    // What failed before is tried again.
    std::erase_if(known_, [](const auto& run) { return run.second.status != "ok"; });
    flush_directory(directory, path_);
  } catch (...) {
    ::close(fd_);
    throw;
  }
}

RunStore::~RunStore() { ::close(fd_); }

// Locks of open files: those of a process would be shared by all sweeps in it, and end with the first.
bool RunStore::lock(int64_t place, short kind, bool wait) const {
  struct flock range {};
  range.l_type = kind;
  range.l_whence = SEEK_SET;
  range.l_start = place;
  range.l_len = 1;
  int result = 0;
  do {
    result = ::fcntl(fd_, wait ? F_OFD_SETLKW : F_OFD_SETLK, &range);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return true;
  if (!wait && (errno == EAGAIN || errno == EACCES)) return false;
  throw system_error(path_,
                     "this file system has no locks, by which processes share a sweep; give a directory elsewhere");
}

void RunStore::release(int64_t place) noexcept {
  const std::lock_guard guard(mutex_);
  claimed_.erase(place);
  try {
    lock(place, F_UNLCK, false);
  } catch (const IoError&) {  // the end of the process frees it
  }
}

std::optional<RunStore::Claim> RunStore::claim(const std::string& key) {
  const int64_t place = place_of(key);
  const std::lock_guard guard(mutex_);
  if (claimed_.contains(place) || !lock(place, F_WRLCK, false)) return std::nullopt;
  claimed_.insert(place);
  return std::optional<Claim>(std::in_place, *this, place);
}

void RunStore::read_whole_lines() {
  struct stat status {};
  if (::fstat(fd_, &status) != 0) throw system_error(path_, "cannot read");
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size <= read_) return;
  std::string buffer(size - read_, '\0');
  size_t filled = 0;
  while (filled < buffer.size()) {
    const ssize_t got =
        ::pread(fd_, buffer.data() + filled, buffer.size() - filled, static_cast<off_t>(read_ + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error(path_, "cannot read");
    if (got == 0) break;  // half a line was cut off meanwhile
    filled += static_cast<size_t>(got);
  }
  std::string_view text = std::string_view(buffer).substr(0, filled);
  text = text.substr(0, text.rfind('\n') + 1);  // nothing where there is none
  read_ += text.size();
  for (; !text.empty(); text.remove_prefix(text.find('\n') + 1)) {
    const auto json = nlohmann::json::parse(text.substr(0, text.find('\n')), nullptr, false);
    // A line that says nothing is a run that is run again.
    if (!json.is_object() || !json.contains("key") || !json.contains("row")) continue;
    try {
      known_[json.at("key").get<std::string>()] = parse_results(json.at("row").get<std::string>(), path_).at(0);
    } catch (const std::exception&) {
    }
  }
}

void RunStore::read_new() {
  const std::lock_guard guard(mutex_);
  read_whole_lines();
}

std::optional<SweepRow> RunStore::find(const std::string& key) const {
  const std::lock_guard guard(mutex_);
  const auto found = known_.find(key);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

void RunStore::append(const std::string& key, const SweepRow& row) {
  const std::string line = nlohmann::ordered_json{{"key", key}, {"row", results_csv({row})}}.dump() + '\n';
  const std::lock_guard guard(mutex_);
  lock(kWriting, F_WRLCK, true);
  const auto fail = [&](int error) {
    [[maybe_unused]] const int cut = ::ftruncate(fd_, static_cast<off_t>(read_));
    lock(kWriting, F_UNLCK, false);
    throw system_error(path_, "cannot write", error);
  };
  read_whole_lines();
  // Nobody else writes now: what is behind the last whole line is of a process that was killed.
  if (::ftruncate(fd_, static_cast<off_t>(read_)) != 0) fail(errno);
  const ssize_t written = ::write(fd_, line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size())) fail(written < 0 ? errno : ENOSPC);
  lock(kWriting, F_UNLCK, false);
  if (::fdatasync(fd_) != 0) throw system_error(path_, "cannot write");
}

}  // namespace dppl
