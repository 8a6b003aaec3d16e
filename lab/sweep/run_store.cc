#include "lab/sweep/run_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file_steps.h"
#include "base/mapped_file.h"
#include "base/system_error.h"
#include "dppl/error.h"

namespace dppl {
namespace {

std::string make_directory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw system_error(directory, "cannot make the directory", error.value());
  return directory + "/runs.jsonl";
}

}  // namespace

RunStore::RunStore(const std::string& directory) : path_(make_directory(directory)) {
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd_ < 0) throw system_error(path_, "cannot write");
  try {
    if (::flock(fd_, LOCK_EX | LOCK_NB) != 0)
      throw IoError(path_ + ": another sweep writes here; wait for it, or give another directory");
    load();
    flush_directory(directory, path_);
  } catch (...) {
    ::close(fd_);
    throw;
  }
}

RunStore::~RunStore() { ::close(fd_); }

void RunStore::load() {
  const MappedFile file(path_);
  std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  const size_t whole = text.rfind('\n') + 1;  // 0 where there is none
  for (text = text.substr(0, whole); !text.empty(); text.remove_prefix(text.find('\n') + 1)) {
    const auto json = nlohmann::json::parse(text.substr(0, text.find('\n')), nullptr, false);
    // A line that says nothing is a run that is run again.
    if (!json.is_object() || !json.contains("key") || !json.contains("row")) continue;
    try {
      known_[json.at("key").get<std::string>()] = parse_results(json.at("row").get<std::string>(), path_).at(0);
    } catch (const std::exception&) {
    }
  }
  if (::ftruncate(fd_, static_cast<off_t>(whole)) != 0) throw system_error(path_, "cannot write");
}

const SweepRow* RunStore::find(const std::string& key) const {
  const auto found = known_.find(key);
  return found == known_.end() ? nullptr : &found->second;
}

void RunStore::append(const std::string& key, const SweepRow& row) {
  const std::string line = nlohmann::ordered_json{{"key", key}, {"row", results_csv({row})}}.dump() + '\n';
  const std::lock_guard lock(mutex_);
  // One call, so that a line is cut short at worst by the end of the process or of the disk.
  if (::write(fd_, line.data(), line.size()) != static_cast<ssize_t>(line.size()) || ::fdatasync(fd_) != 0)
    throw system_error(path_, "cannot write");
}

}  // namespace dppl
