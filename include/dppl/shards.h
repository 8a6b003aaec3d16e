#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dppl/embeddings.h"
#include "dppl/error.h"

// Selection from a pool whose rows are on other machines. Each has a shard, a pool file of contiguous rows; one
// process, the coordinator, has the private records and fits (FitOptions::remote). It alone draws; shards answer its
// requests, without randomness. The model is that of a fit on the whole pool in one place, to the bit.
//
// Requests and replies are bytes, and whoever carries them is the caller. They are as private as the records: sums or
// quantised rows of classes, scores, weights. Carry them over TLS only, and neither store, log nor show them.
namespace dppl {

// A shard that has not had the requests before this one, because it was made anew or missed some. It takes them again
// (ShardRequest::replay()), and then this one.
class ShardOutOfStep : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

class SelectionShard {
 public:
  // Of a pool file, checked whole; `first_row`: of its first row in the whole pool.
  SelectionShard(const std::string& path, size_t first_row, unsigned threads = kDefaultThreads);
  ~SelectionShard();
  SelectionShard(SelectionShard&&) noexcept;
  SelectionShard& operator=(SelectionShard&&) noexcept;

  size_t rows() const;
  size_t first_row() const;
  const std::string& digest() const;  // of the pool file, as `dppl pool info` shows it

  // The reply. A function of this request and of those before it since the first of its group of classes: the same
  // bytes from any process on any machine, as often as it is asked. Throws ShardOutOfStep, or InvalidInput for a
  // request that is malformed or for another shard. One thread at a time is served.
  std::string answer(std::string_view request);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct ShardMessage;

// A request to one shard, for the one who carries it.
class ShardRequest {
 public:
  ShardRequest(size_t shard, std::shared_ptr<const ShardMessage> message,
               std::vector<std::shared_ptr<const ShardMessage>> before);

  size_t shard() const { return shard_; }  // its number in the pool
  uint64_t sequence() const;               // counts the requests of the pool
  std::string message() const;             // for SelectionShard::answer()
  // What a shard that was made anew has to be asked before, in this order; the replies say nothing new.
  std::vector<std::string> replay() const;

 private:
  size_t shard_;
  std::shared_ptr<const ShardMessage> message_;
  std::vector<std::shared_ptr<const ShardMessage>> before_;
};

// The coordinator's side: all shards of a pool.
class RemotePool {
 public:
  struct Shard {
    std::string digest;  // of its pool file
    size_t rows;
  };
  // Carries requests, at most one per shard, to their shards and returns the replies, in the same order. May ask a
  // shard again, and make a lost one anew, as often as it takes: that changes nothing. What it throws ends the fit: the
  // reservation stays spent, and nothing is drawn again.
  using Ask = std::function<std::vector<std::string>(std::span<const ShardRequest>)>;

  // Shards in the order of their rows. `digest`: of the whole pool, in hex, for the model. `session`: a text of the
  // caller's that no other pool in use has at the same time. Asks every shard what it holds: throws InvalidInput when
  // one is not what is said here, or has another transform than the others.
  RemotePool(std::vector<Shard> shards, std::string digest, std::string session, Ask ask);
  ~RemotePool();
  RemotePool(const RemotePool&) = delete;
  RemotePool& operator=(const RemotePool&) = delete;

  // The pool without its rows, for what needs only its size, its digest and its transform.
  const PublicData& description() const;
  std::string transform() const;  // that its rows have been through: "whiten:64"

 private:
  friend class RemoteShards;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dppl
