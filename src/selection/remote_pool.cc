#include <fmt/format.h>

#include <algorithm>

#include "rows/public_access.h"
#include "selection/remote_shards.h"

namespace dppl {

using Message = std::shared_ptr<const ShardMessage>;

ShardRequest::ShardRequest(size_t shard, Message message, std::vector<Message> before)
    : shard_(shard), message_(std::move(message)), before_(std::move(before)) {}

uint64_t ShardRequest::sequence() const { return message_->sequence; }
std::string ShardRequest::message() const { return message_->bytes(); }

std::vector<std::string> ShardRequest::replay() const {
  std::vector<std::string> all;
  for (const Message& one : before_) all.push_back(one->bytes());
  return all;
}

struct RemotePool::State {
  struct Part {
    std::string name;
    Digest digest;
    uint64_t first = 0, rows = 0;
    std::vector<Message> changes = {};  // of its state, since classes were started
  };

  std::vector<std::string> ask_parts(RequestKind kind, std::span<const RemoteShards::Asked> asked);

  std::vector<Part> parts;
  Digest session;
  Ask ask;
  uint64_t sequence = 0;
  double longest = 0;
  std::optional<PublicData> description;
  size_t dim = 0;
  std::mutex in_use;
};

std::vector<std::string> RemotePool::State::ask_parts(RequestKind kind, std::span<const RemoteShards::Asked> asked) {
  std::vector<Message> messages;
  std::vector<ShardRequest> requests;
  for (const auto& [shard, body] : asked) {
    Part& part = parts[shard];
    if (kind == RequestKind::start) part.changes.clear();
    const Digest history = part.changes.empty() ? Digest{} : part.changes.back()->digest;
    messages.push_back(std::make_shared<const ShardMessage>(
        RequestHead{sequence++, session, part.digest, part.first, history, kind}, body));
    requests.emplace_back(shard, messages.back(), part.changes);
  }
  const std::vector<std::string> replies = ask(requests);
  if (replies.size() != requests.size()) {
    throw InvalidInput(fmt::format("shards: {} replies to {} requests", replies.size(), requests.size()));
  }
  std::vector<std::string> bodies;
  for (size_t j = 0; j < replies.size(); ++j) bodies.emplace_back(read_reply(replies[j], *messages[j]));
  // Only what was answered is asked again of a shard that is made anew.
  for (size_t j = 0; j < messages.size() && changes_state(kind); ++j) {
    parts[asked[j].shard].changes.push_back(messages[j]);
  }
  return bodies;
}

RemotePool::RemotePool(std::vector<Shard> shards, std::string digest, std::string session, Ask ask)
    : state_(std::make_unique<State>()) {
  if (shards.empty()) throw InvalidInput("shards: a pool needs at least one");
  const auto is_digest = [](const std::string& text) {
    return text.size() == 2 * sizeof(Digest) &&
           std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  };
  if (!is_digest(digest)) throw InvalidInput("shards: the pool's digest is not one");
  State& state = *state_;
  state.session = digest_of(session);
  state.ask = std::move(ask);
  uint64_t rows = 0;
  for (const Shard& shard : shards) {
    if (!is_digest(shard.digest)) throw InvalidInput(fmt::format("shards: '{}' is not a digest", shard.digest));
    if (shard.rows == 0) throw InvalidInput(fmt::format("shards: {} has no rows", shard.digest));
    state.parts.push_back({shard.digest, from_hex(shard.digest), rows, shard.rows});
    rows += shard.rows;
  }

  std::vector<RemoteShards::Asked> asked;
  for (size_t s = 0; s < shards.size(); ++s) asked.push_back({s, std::make_shared<const std::string>()});
  std::optional<PublicTransform> transform;
  const std::vector<std::string> bodies = state.ask_parts(RequestKind::describe, asked);
  for (size_t s = 0; s < shards.size(); ++s) {
    const ShardDescription said = read_description(bodies[s]);
    if (said.rows != shards[s].rows) {
      throw InvalidInput(fmt::format("shards: {} has {} rows, not {}", shards[s].digest, said.rows, shards[s].rows));
    }
    if (!transform) transform = said.transform;
    if (!(said.transform.spec() == transform->spec()) || said.transform.input_dim() != transform->input_dim() ||
        !std::ranges::equal(said.transform.mean(), transform->mean()) ||
        !std::ranges::equal(said.transform.basis(), transform->basis())) {
      throw InvalidInput(
          fmt::format("shards: {} holds rows after another transform than the first; build all parts of "
                      "one pool",
                      shards[s].digest));
    }
    state.longest = std::max(state.longest, said.longest);
  }
  state.dim = transform->output_dim();
  state.description = PublicAccess::describe({"the pool in shards", digest, rows, *transform});
}

RemotePool::~RemotePool() = default;

const PublicData& RemotePool::description() const { return *state_->description; }
std::string RemotePool::transform() const {
  return PublicAccess(description()).description()->transform.spec().to_string();
}

std::vector<uint64_t> RemoteShards::sizes() const {
  std::vector<uint64_t> sizes;
  for (const auto& part : state_.parts) sizes.push_back(part.rows);
  return sizes;
}

size_t RemoteShards::dim() const { return state_.dim; }
double RemoteShards::longest() const { return state_.longest; }

std::vector<std::string> RemoteShards::ask(RequestKind kind, std::span<const Asked> asked) {
  return state_.ask_parts(kind, asked);
}

std::vector<std::string> RemoteShards::ask_all(RequestKind kind, std::string body) {
  const auto shared = std::make_shared<const std::string>(std::move(body));
  std::vector<Asked> asked;
  for (size_t s = 0; s < state_.parts.size(); ++s) asked.push_back({s, shared});
  return ask(kind, asked);
}

std::vector<float> RemoteShards::rows(std::span<const uint64_t> numbers) {
  std::vector<std::vector<uint64_t>> own(state_.parts.size());
  std::vector<std::pair<size_t, size_t>> places;  // shard, and which of its rows
  for (const uint64_t number : numbers) {
    size_t s = 0;
    while (number >= state_.parts[s].first + state_.parts[s].rows) ++s;
    places.emplace_back(s, own[s].size());
    own[s].push_back(number - state_.parts[s].first);
  }
  // Of all shards, also those without a row of them: they may forget the classes now.
  std::vector<Asked> asked;
  for (size_t s = 0; s < own.size(); ++s) {
    asked.push_back({s, std::make_shared<const std::string>(to_bytes(std::span<const uint64_t>(own[s])))});
  }
  const std::vector<std::string> bodies = ask(RequestKind::rows, asked);
  std::vector<StoredRows> stored;
  for (size_t s = 0; s < own.size(); ++s) stored.push_back(read_stored_rows(bodies[s], own[s].size(), dim()));
  std::vector<float> values;
  for (const auto& [s, place] : places) {
    for (size_t k = 0; k < dim(); ++k) {
      values.push_back(static_cast<float>(stored[s].values[place * dim() + k]) * stored[s].scales[place]);
    }
  }
  for (auto& part : state_.parts) part.changes.clear();
  return values;
}

std::unique_lock<std::mutex> RemoteShards::use() {
  std::unique_lock lock(state_.in_use, std::try_to_lock);
  if (!lock) throw InvalidInput("shards: another fit is using this pool; make a pool for each");
  return lock;
}

}  // namespace dppl
