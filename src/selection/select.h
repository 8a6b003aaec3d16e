#pragma once

#include <functional>

#include "dppl/mechanisms.h"
#include "rows/sharded_rows.h"
#include "statistics/pair_scores/pair_scores.h"

// Which public rows a class gets: the engine of DPPL-Public and DPPL-PublicK.
namespace dppl {

class RemotePool;

struct SelectionTask {
  size_t classes;
  std::function<WeightedRows(size_t c, unsigned threads)> records;  // of a class; called from several threads
  ScoreRange range;
  SelectionMechanism mechanism = SelectionMechanism::exponential;
  size_t k = 1;        // rows per class
  bool joint = false;  // by joint_top_k, also if k is 1
  unsigned threads = 1;
  // Of every class, what was computed; kept for tasks that differ in mechanism, k and budget alone. −1: not yet.
  // Where the pool is here.
  std::vector<std::vector<int64_t>>* scores = nullptr;
  std::function<void(double)> progress = {};  // a fraction between 0 and 1
};

// What it took. Depends on the private records: for benchmarks on data that is not private.
struct SelectionWork {
  uint64_t pairs = 0, evaluated = 0;  // (record, candidate) in all, and those whose score was computed
};

using Choice = Released<std::vector<size_t>>;

// For every class, with its budget (one per class), on a stream of its own of `random`. The choice is the same however
// the pool is cut into shards, and wherever they are.
std::vector<Choice> select_rows(const SelectionTask& task, const ShardedRows& pool, std::vector<Budget> budgets,
                                Random& random, SelectionWork* work = nullptr);
std::vector<Choice> select_rows(const SelectionTask& task, RemotePool& pool, std::vector<Budget> budgets,
                                Random& random, SelectionWork* work = nullptr);

}  // namespace dppl
