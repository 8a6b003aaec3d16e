#include "serving/image_queue.h"

#include <algorithm>

#include "serving/constants.h"

namespace dppl::serving {

ImageQueue::ImageQueue(std::shared_ptr<Encoder> encoder, size_t batch, std::chrono::duration<double> patience)
    : encoder_(std::move(encoder)),
      batch_(std::max<size_t>(batch, 1)),
      patience_(patience),
      thread_([this] { work(); }) {}

ImageQueue::~ImageQueue() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool ImageQueue::encode(std::vector<float> input, Done done) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kWaitingBatches * batch_) return false;
    waiting_.push_back({std::move(input), std::move(done), std::chrono::steady_clock::now()});
  }
  changed_.notify_one();
  return true;
}

void ImageQueue::work() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    changed_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
    if (stopped_) return;
    const auto due = waiting_.front().arrived + patience_;
    changed_.wait_until(lock, due, [this] { return stopped_ || waiting_.size() >= batch_; });
    std::vector<Waiting> images;
    while (!waiting_.empty() && images.size() < batch_) {
      images.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    lock.unlock();
    run(images);
    images.clear();
    lock.lock();
  }
}

void ImageQueue::run(std::vector<Waiting>& images) {
  const size_t dim = encoder_->dim();
  std::vector<float> rows(images.size() * dim);
  bool good = true;
  try {
    std::vector<float> inputs;
    inputs.reserve(images.size() * encoder_->input_size());
    for (const Waiting& image : images) inputs.insert(inputs.end(), image.input.begin(), image.input.end());
    encoder_->encode(inputs, images.size(), rows);
  } catch (const std::exception&) {
    good = false;
  }
  for (size_t i = 0; i < images.size(); ++i) {
    const auto row = rows.begin() + static_cast<ptrdiff_t>(i * dim);
    images[i].done(good ? std::vector<float>(row, row + static_cast<ptrdiff_t>(dim)) : std::vector<float>());
  }
}

}  // namespace dppl::serving
