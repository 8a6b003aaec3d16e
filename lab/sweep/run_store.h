#pragma once

#include <map>
#include <mutex>
#include <string>

#include "dppl/sweep.h"

namespace dppl {

// The runs that were finished, in DIRECTORY/runs.jsonl: one line each with a key and the run's line of results.csv. A
// line is on the disk before append() returns; half a line at the end was being written when a run was killed and is
// cut off. One process at a time (another one is refused with IoError).
class RunStore {
 public:
  explicit RunStore(const std::string& directory);
  ~RunStore();
  RunStore(const RunStore&) = delete;
  RunStore& operator=(const RunStore&) = delete;

  const SweepRow* find(const std::string& key) const;
  void append(const std::string& key, const SweepRow& row);  // safe from any thread

 private:
  void load();

  std::string path_;
  int fd_ = -1;
  std::mutex mutex_;
  std::map<std::string, SweepRow> known_;
};

}  // namespace dppl
