#include "encoders/prepared_images.h"

#include <algorithm>

#include "dppl/error.h"

namespace dppl {

PreparedImages::PreparedImages(const ImageSource& source, const Encoder& encoder, std::span<const uint64_t> rows,
                               size_t first, size_t batch, unsigned threads)
    : source_(source), encoder_(encoder), rows_(rows), first_(first), batch_(batch), claimed_(first) {
  // One that the caller has, one that is complete, and enough for every thread to have an image.
  slots_.resize(2 + (threads + batch - 1) / batch);
  for (size_t i = 0; i < std::max(threads, 1u); ++i) threads_.emplace_back([this] { work(); });
}

PreparedImages::~PreparedImages() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  room_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

PreparedImages::Batch* PreparedImages::next() {
  std::unique_lock lock(mutex_);
  const size_t begin = first_ + handed_ * batch_;
  ++handed_;
  room_.notify_all();  // the batch that was given before is free
  if (begin >= rows_.size()) return nullptr;
  Batch& batch = batch_of(begin);
  ready_.wait(lock, [&] { return failure_ || (batch.count > 0 && batch.first == begin && batch.missing == 0); });
  if (failure_) std::rethrow_exception(failure_);
  return &batch;
}

std::optional<size_t> PreparedImages::claim() {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [this] {
    // The caller still has the batch that was handed out last.
    const size_t free_from = handed_ == 0 ? 0 : handed_ - 1;
    return stopped_ || failure_ || claimed_ >= rows_.size() || (claimed_ - first_) / batch_ < free_from + slots_.size();
  });
  if (stopped_ || failure_ || claimed_ >= rows_.size()) return std::nullopt;
  Batch& batch = batch_of(claimed_);
  if ((claimed_ - first_) % batch_ == 0) {
    batch.first = claimed_;
    batch.count = batch.missing = std::min(batch_, rows_.size() - claimed_);
    batch.inputs.resize(batch.count * encoder_.input_size());
    batch.refusal.assign(batch.count, "");
  }
  return claimed_++;
}

void PreparedImages::prepare(size_t image) {
  Batch& batch = batch_of(image);
  const size_t size = encoder_.input_size(), place = image - batch.first;
  try {
    const Image read = source_.read_at_least(rows_[image], encoder_.least_size());
    encoder_.prepare(read, std::span(batch.inputs).subspan(place * size, size));
  } catch (const Error& error) {
    batch.refusal[place] = error.what();
  }
  const std::lock_guard lock(mutex_);
  if (--batch.missing == 0) ready_.notify_all();
}

void PreparedImages::work() {
  try {
    while (const std::optional<size_t> image = claim()) prepare(*image);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    ready_.notify_all();
    room_.notify_all();
  }
}

}  // namespace dppl
