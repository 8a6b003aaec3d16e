#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "dppl/embeddings.h"
#include "serving/metrics.h"
#include "serving/model_store.h"

namespace dppl::serving {

// The rows of one request, and what became of them.
struct Job {
  using Done = std::function<void(Job& job)>;  // called once, by the thread that did the last of it
  Job(ModelPointer for_model, Embeddings own_rows, bool with_scores, Done when_done)
      : model(std::move(for_model)), rows(std::move(own_rows)), wants_scores(with_scores), done(std::move(when_done)) {}

  const ModelPointer model;
  const Embeddings rows;
  const bool wants_scores;
  const Done done;

  std::vector<int32_t> labels = {};
  std::vector<float> scores = {};  // rows × classes, where wanted
  enum class Outcome : uint8_t { good, too_late, failed };
  std::atomic<Outcome> outcome{Outcome::good};

  std::chrono::steady_clock::time_point arrived = {};
  size_t taken = 0;  // rows that a block has been made of
  std::atomic<size_t> missing{0};
};

// Threads that compute. Rows of all clients for one model are classified in blocks, because a matrix product of many
// rows costs little more than one of few. A block is made when it is full, when its oldest row has waited for as long
// as it may, or when no client is left that could add to it. Large requests take turns, block by block.
class Batcher {
 public:
  struct Options {
    unsigned threads = 1;
    std::chrono::duration<double> patience{0.001};
    std::chrono::duration<double> longest_wait{30};  // jobs that waited longer are too late
  };
  Batcher(const Options& options, Metrics& metrics);
  ~Batcher() { stop(); }
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;

  void classify(std::shared_ptr<Job> job);
  // Other work that would hold up the network, such as parsing a large body.
  void post(std::function<void()> task);
  // Ends the threads. What has not begun is never done.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  // Jobs that may share a block.
  struct Lane {
    ModelPointer model;
    bool wants_scores;
    std::deque<std::shared_ptr<Job>> jobs = {};
    size_t rows = 0;  // of theirs that are in no block yet
  };
  struct Piece {
    std::shared_ptr<Job> job;
    size_t first, count;
  };
  struct Block {
    ModelPointer model;
    bool wants_scores;
    std::vector<Piece> pieces = {};
    size_t rows = 0;
    std::vector<std::shared_ptr<Job>> late = {};  // in no block, and not to be in one
  };

  void work();
  bool is_due(const Lane& lane, Clock::time_point now) const;
  std::list<Lane>::iterator full_lane();
  Block take_block(std::list<Lane>::iterator lane, Clock::time_point now);
  void run(const Block& block);
  static void classify(const Block& block);

  const Options options_;
  Metrics& metrics_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Lane> lanes_;
  std::deque<std::function<void()>> tasks_;
  size_t running_tasks_ = 0;
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace dppl::serving
