#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "dppl/error.h"
#include "dppl/pool.h"
#include "selection/shard_messages.h"

// Whatever the body of a request is, a shard answers it or refuses it with an Error, and can be asked again afterwards;
// whatever a reply is, it is read or refused. The first byte says which of them follows, and after what.
namespace {

using namespace dppl;

constexpr size_t kRows = 40, kDim = 3;

std::string small_pool() {
  const std::string path = std::filesystem::temp_directory_path() / ("shards_fuzz." + std::to_string(getpid()));
  std::vector<float> values;
  for (size_t i = 0; i < kRows * kDim; ++i) values.push_back(static_cast<float>(i * 37 % 23) - 11.5f);
  build_pool(PublicData::from_memory(values, kDim, 1), {.transform = {}, .rows = {}, .threads = 1, .progress = {}},
             path);
  return path;
}

SelectionShard opened() {
  const std::string path = small_pool();
  SelectionShard shard(path, 0, 1);
  std::filesystem::remove(path);  // it stays mapped
  return shard;
}

// Classes that are started before each input, so that questions about them are reached.
std::string two_classes(bool clipped) {
  Start start{true, clipped ? ScoreRange::of(1, 2) : ScoreRange::of(0, 2), 200, {}};
  QuantisedRows rows(2, kDim);
  rows.set(0, std::vector<float>{1, 2, 3});
  rows.set(1, std::vector<float>{3, -1, 0});
  for (int c = 0; c < 2; ++c) {
    const WeightedRows records(rows);
    start.classes.push_back(
        {summarise(records, clipped, 1), Rational(1, 1000), clipped ? records : WeightedRows(QuantisedRows(0, kDim))});
  }
  return to_bytes(start);
}

void read_as_reply(uint8_t kind, std::string_view body) {
  switch (kind % 5) {
    case 0:
      read_description(body);
      break;
    case 1:
      read_answers(body);
      break;
    case 2:
      read_scores(body, 3);
      break;
    case 3:
      read_stored_rows(body, 2, kDim);
      break;
    default:
      read_reply(body, ShardMessage(RequestHead{}, std::make_shared<const std::string>()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static SelectionShard shard = opened();
  static const std::string whole = two_classes(false), clipped = two_classes(true);
  if (size < 1) return 0;
  const uint8_t first = data[0];
  const std::string body(reinterpret_cast<const char*>(data + 1), size - 1);
  RequestHead head{.sequence = 1, .shard = from_hex(shard.digest())};
  const auto ask = [&](RequestKind kind, const std::string& with) {
    head.kind = kind;
    ++head.sequence;
    const ShardMessage message(head, std::make_shared<const std::string>(with));
    shard.answer(message.bytes());
    head.history = message.digest;
  };
  try {
    if (first % 8 == 7) {
      read_as_reply(first / 8, body);
    } else if (first % 8 == 6) {
      shard.answer(body);
    } else {
      ask(RequestKind::start, first / 8 % 2 == 0 ? whole : clipped);
      // As far as a draw may have come.
      const int64_t most = int64_t{1} << 40;
      const LazyQuestion before[] = {AskLargest{10}, AskEvaluate{5}, AskWeigh{0, most}};
      for (size_t step = 0; step < first / 16u % 4u; ++step) {
        const ClassQuestion both[] = {{0, before[step]}, {1, before[step]}};
        ask(RequestKind::questions, to_bytes(std::span<const ClassQuestion>(both)));
      }
      ask(static_cast<RequestKind>(1 + first % 5), body);
    }
  } catch (const Error&) {
  }
  ask(RequestKind::start, whole);  // it still works
  return 0;
}
