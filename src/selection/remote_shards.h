#pragma once

#include <mutex>

#include "selection/shard_messages.h"

namespace dppl {

// The shards of a remote pool, for who selects from it.
class RemoteShards {
 public:
  explicit RemoteShards(RemotePool& pool) : state_(*pool.state_) {}

  std::vector<uint64_t> sizes() const;
  size_t dim() const;      // of the rows as they are stored
  double longest() const;  // longest_row() of all

  struct Asked {
    size_t shard;
    std::shared_ptr<const std::string> body;
  };
  // Of every shard one thing at most. The bodies of the replies.
  std::vector<std::string> ask(RequestKind kind, std::span<const Asked> asked);
  std::vector<std::string> ask_all(RequestKind kind, std::string body);

  // The rows of these numbers, as the model holds them.
  std::vector<float> rows(std::span<const uint64_t> numbers);

  // For one selection at a time.
  std::unique_lock<std::mutex> use();

 private:
  RemotePool::State& state_;
};

}  // namespace dppl
