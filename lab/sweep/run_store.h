#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "dppl/sweep.h"

namespace dppl {

// The runs that were finished, in DIRECTORY/runs.jsonl: one line each with a key and the run's line of results.csv. A
// line is on the disk before append() returns. Many processes, also of several machines, may share the directory: a run
// is claimed before it is done, and half a line at the end is of a process that was killed and is cut off.
//
// Claims and the turn to write are locks of the system on single bytes of that file, far behind its end. They go with
// the process: of one that was killed nothing is left to be cleared away, and no clock decides who is alive. On a
// shared folder the file server keeps them (NFS, Lustre with -o flock, CephFS) and frees those of a machine that is
// lost. Who takes one there sees the file as it is, so that a claimed run that is still unknown after read_new() is
// undone.
//
// All functions are safe from any thread.
class RunStore {
 public:
  // A run that nobody else does while this lives. A move leaves an empty one behind.
  class Claim {
   public:
    Claim(RunStore& store, int64_t place) : store_(&store), place_(place) {}
    Claim(Claim&& other) noexcept : store_(std::exchange(other.store_, nullptr)), place_(other.place_) {}
    Claim& operator=(Claim&&) = delete;
    ~Claim() {
      if (store_ != nullptr) store_->release(place_);
    }

   private:
    RunStore* store_;
    int64_t place_;
  };

  explicit RunStore(const std::string& directory);
  ~RunStore();
  RunStore(const RunStore&) = delete;
  RunStore& operator=(const RunStore&) = delete;

  // Nothing where another process or thread does the run now.
  std::optional<Claim> claim(const std::string& key);
  // What others have finished since.
  void read_new();
  // What is known of a run: that it went well, or that it has failed since this store was opened.
  std::optional<SweepRow> find(const std::string& key) const;
  void append(const std::string& key, const SweepRow& row);

 private:
  void read_whole_lines();
  bool lock(int64_t place, short kind, bool wait) const;
  void release(int64_t place) noexcept;

  std::string path_;
  int fd_ = -1;
  mutable std::mutex mutex_;
  uint64_t read_ = 0;  // bytes of the file, all of whole lines
  std::set<int64_t> claimed_;
  std::map<std::string, SweepRow> known_;
};

}  // namespace dppl
