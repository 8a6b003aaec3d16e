#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "dppl/encoder.h"

namespace dppl::serving {

// Images of all clients on their way through the encoder, which takes several at a time and is used by one thread.
class ImageQueue {
 public:
  ImageQueue(std::shared_ptr<Encoder> encoder, size_t batch, std::chrono::duration<double> patience);
  // What has not begun is never done.
  ~ImageQueue();
  ImageQueue(const ImageQueue&) = delete;
  ImageQueue& operator=(const ImageQueue&) = delete;

  const Encoder& encoder() const { return *encoder_; }

  // Called with the image's embedding, or with an empty one where the encoder failed.
  using Done = std::function<void(std::vector<float> row)>;
  // `input` is what encoder().prepare() made. False: too many are waiting, and `done` is not called.
  [[nodiscard]] bool encode(std::vector<float> input, Done done);

 private:
  struct Waiting {
    std::vector<float> input;
    Done done;
    std::chrono::steady_clock::time_point arrived;
  };
  void work();
  void run(std::vector<Waiting>& images);

  const std::shared_ptr<Encoder> encoder_;
  const size_t batch_;
  const std::chrono::duration<double> patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> waiting_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace dppl::serving
