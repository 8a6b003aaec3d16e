#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "dppl/encoder.h"

namespace dppl {

// Reads and prepares images with threads of its own, a few batches ahead of the one who takes them.
class PreparedImages {
 public:
  // Image i of the run is rows[i] of the source; batches begin at `first` and hold `batch` images, the last one fewer.
  PreparedImages(const ImageSource& source, const Encoder& encoder, std::span<const uint64_t> rows, size_t first,
                 size_t batch, unsigned threads);
  ~PreparedImages();
  PreparedImages(const PreparedImages&) = delete;
  PreparedImages& operator=(const PreparedImages&) = delete;

  struct Batch {
    size_t first = 0, count = 0;
    std::vector<float> inputs;         // count × input_size()
    std::vector<std::string> refusal;  // of each image; empty: it was prepared
    size_t missing = 0;                // images that are still being prepared
  };
  // The next batch in order, complete, or null after the last one. It is the caller's until the next call. Throws what
  // a thread threw, but for the refusal of an image.
  Batch* next();

 private:
  void work();
  // The number of an image to prepare, once there is room for it; empty at the end.
  std::optional<size_t> claim();
  void prepare(size_t image);
  Batch& batch_of(size_t image) { return slots_[(image - first_) / batch_ % slots_.size()]; }

  const ImageSource& source_;
  const Encoder& encoder_;
  std::span<const uint64_t> rows_;
  size_t first_, batch_;

  std::mutex mutex_;
  std::condition_variable room_, ready_;
  std::vector<Batch> slots_;
  size_t claimed_;     // images before it have been taken on
  size_t handed_ = 0;  // batches that next() has given
  bool stopped_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace dppl
