#include "serving/batcher.h"

#include <algorithm>
#include <span>

#include "model/constants.h"

namespace dppl::serving {
namespace {

// Some rows of a job, where they are.
Embeddings view_of(const Embeddings& rows, size_t first, size_t count) {
  return Embeddings::view(
      {.data = rows.row_bytes(first).data(), .rows = count, .dim = rows.dim(), .dtype = rows.dtype()});
}

}  // namespace

Batcher::Batcher(const Options& options, Metrics& metrics) : options_(options), metrics_(metrics) {
  for (unsigned i = 0; i < std::max(options.threads, 1u); ++i) threads_.emplace_back([this] { work(); });
}

void Batcher::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Batcher::classify(std::shared_ptr<Job> job) {
  const size_t rows = job->rows.rows();
  if (rows == 0) return job->done(*job);
  job->arrived = Clock::now();
  job->missing = rows;
  job->labels.resize(rows);
  if (job->wants_scores) job->scores.resize(rows * job->model->classes.size());
  bool wakes = false;
  {
    const std::lock_guard lock(mutex_);
    const auto fits = [&](const Lane& lane) {
      return lane.model == job->model && lane.wants_scores == job->wants_scores;
    };
    // Where there are rows already, a thread is awake or will be when they are due.
    wakes = lanes_.empty();
    auto lane = std::find_if(lanes_.begin(), lanes_.end(), fits);
    if (lane == lanes_.end()) lane = lanes_.insert(lanes_.end(), Lane{job->model, job->wants_scores});
    lane->jobs.push_back(std::move(job));
    lane->rows += rows;
    wakes = wakes || lane->rows >= kRowsTogether || is_due(*lane, Clock::now());
  }
  if (wakes) changed_.notify_one();
}

void Batcher::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
}

std::list<Batcher::Lane>::iterator Batcher::full_lane() {
  return std::find_if(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.rows >= kRowsTogether; });
}

bool Batcher::is_due(const Lane& lane, Clock::time_point now) const {
  const bool others_may_come = metrics_.connections > metrics_.requests || running_tasks_ > 0;
  return !others_may_come || now - lane.jobs.front()->arrived >= options_.patience;
}

// Full blocks first, then other work, which may fill blocks, then blocks that have waited.
void Batcher::work() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    auto lane = full_lane();
    if (lane == lanes_.end() && !tasks_.empty()) {
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      ++running_tasks_;
      lock.unlock();
      task();
      lock.lock();
      --running_tasks_;
      continue;
    }
    const auto now = Clock::now();
    if (lane == lanes_.end()) {
      lane = std::find_if(lanes_.begin(), lanes_.end(), [&](const Lane& one) { return is_due(one, now); });
    }
    if (lane != lanes_.end()) {
      const Block block = take_block(lane, now);
      lock.unlock();
      run(block);
      lock.lock();
    } else if (lanes_.empty()) {
      changed_.wait(lock);
    } else {
      Clock::time_point next = Clock::time_point::max();
      for (const Lane& one : lanes_) next = std::min(next, one.jobs.front()->arrived);
      changed_.wait_until(lock, next + std::chrono::duration_cast<Clock::duration>(options_.patience));
    }
  }
}

Batcher::Block Batcher::take_block(std::list<Lane>::iterator lane, Clock::time_point now) {
  Block block{lane->model, lane->wants_scores};
  while (!lane->jobs.empty() && block.rows < kRowsTogether) {
    std::shared_ptr<Job> job = std::move(lane->jobs.front());
    lane->jobs.pop_front();
    if (job->taken == 0 && now - job->arrived > options_.longest_wait) {
      lane->rows -= job->rows.rows();
      block.late.push_back(std::move(job));
      continue;
    }
    const size_t count = std::min(job->rows.rows() - job->taken, kRowsTogether - block.rows);
    block.pieces.push_back({job, job->taken, count});
    block.rows += count;
    job->taken += count;
    if (job->taken < job->rows.rows()) lane->jobs.push_back(std::move(job));
  }
  lane->rows -= block.rows;
  // To the end, so that models take turns too.
  if (lane->jobs.empty()) {
    lanes_.erase(lane);
  } else {
    lanes_.splice(lanes_.end(), lanes_, lane);
  }
  return block;
}

void Batcher::classify(const Block& block) {
  const size_t dim = block.model->classifier.dim(), classes = block.model->classes.size();
  thread_local std::vector<float> gathered;
  const auto rows = [&] {
    const Piece& only = block.pieces[0];
    if (block.pieces.size() == 1) return view_of(only.job->rows, only.first, only.count);
    gathered.resize(block.rows * dim);
    size_t at = 0;
    for (const Piece& piece : block.pieces) {
      for (size_t i = 0; i < piece.count; ++i, at += dim) {
        piece.job->rows.row(piece.first + i, std::span(gathered).subspan(at, dim));
      }
    }
    return Embeddings::view(MatrixView::of(gathered, dim));
  }();
  const auto hand_out = [&](std::span<const int32_t> labels, std::span<const float> scores) {
    for (const Piece& piece : block.pieces) {
      std::copy_n(labels.begin(), piece.count, piece.job->labels.begin() + static_cast<ptrdiff_t>(piece.first));
      labels = labels.subspan(piece.count);
      if (scores.empty()) continue;
      std::copy_n(scores.begin(), piece.count * classes,
                  piece.job->scores.begin() + static_cast<ptrdiff_t>(piece.first * classes));
      scores = scores.subspan(piece.count * classes);
    }
  };
  if (!block.wants_scores) return hand_out(block.model->classifier.predict(rows), {});
  // One call, because a block has no more rows than the classifier takes at once.
  block.model->classifier.score(rows, [&](uint64_t, std::span<const float> scores, std::span<const int32_t> labels) {
    hand_out(labels, scores);
  });
}

void Batcher::run(const Block& block) {
  for (const std::shared_ptr<Job>& job : block.late) {
    job->outcome = Job::Outcome::too_late;
    job->done(*job);
  }
  if (block.rows == 0) return;
  const auto begin = Clock::now();
  try {
    classify(block);
  } catch (const std::exception&) {
    for (const Piece& piece : block.pieces) piece.job->outcome = Job::Outcome::failed;
  }
  metrics_.count_batch(block.model->name, block.rows, std::chrono::duration<double>(Clock::now() - begin).count());
  for (const Piece& piece : block.pieces) {
    if (piece.job->missing.fetch_sub(piece.count) == piece.count) piece.job->done(*piece.job);
  }
}

}  // namespace dppl::serving
