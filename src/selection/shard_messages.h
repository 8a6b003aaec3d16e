#pragma once

#include "base/digest.h"
#include "dppl/shards.h"
#include "dppl/transform.h"
#include "random/lazy_part.h"
#include "selection/class_summary.h"

// What coordinator and shards tell each other. All of it is read with every length checked: InvalidInput otherwise.
//
//   request   "dpplask2", sequence, session, shard, first row, history, kind; body
//   reply     "dpplsay1", sequence, digest of the request; body; digest of all of it
//
// The history of a request is the digest of the request before it, of those that change a shard's state; so its own
// digest stands for all of them. A shard answers a request whose history it has, and a coordinator takes a reply to the
// request that it asked, so that none that is late, doubled, from elsewhere or damaged is ever used.
namespace dppl {

enum class RequestKind : uint64_t { describe = 1, start, questions, scores, rows };
constexpr bool changes_state(RequestKind kind) { return kind == RequestKind::start || kind == RequestKind::questions; }

struct RequestHead {
  uint64_t sequence = 0;
  Digest session{}, shard{};
  uint64_t first_row = 0;
  Digest history{};
  RequestKind kind = RequestKind::describe;
};

struct ShardMessage {
  ShardMessage(const RequestHead& head, std::shared_ptr<const std::string> shared_body);
  std::string bytes() const { return head + *body; }

  uint64_t sequence;
  std::string head;
  std::shared_ptr<const std::string> body;  // of the same bytes for all shards
  Digest digest;
};

struct ReceivedRequest {
  RequestHead head;
  std::string_view body;
  Digest digest;
};
ReceivedRequest read_request(std::string_view request);

std::string make_reply(const ReceivedRequest& request, std::string_view body);
// The body of a reply to this request.
std::string_view read_reply(std::string_view reply, const ShardMessage& request);

// ---- Bodies

// describe: what a shard holds.
struct ShardDescription {
  uint64_t rows;
  double longest;  // longest_row()
  PublicTransform transform;
};
std::string to_bytes(const ShardDescription& description);
ShardDescription read_description(std::string_view body);

// start: some classes, to be chosen for. Where nothing is clipped, their sums; otherwise their records too.
struct StartedClass {
  ClassSummary summary;
  Rational unit;
  WeightedRows records;
};
struct Start {
  bool lazy;
  ScoreRange range;
  double longest;  // of the whole pool
  std::vector<StartedClass> classes;
};
std::string to_bytes(const Start& start);
Start read_start(std::string_view body, size_t dim);

// questions: of lazy draws, each for a class of those that were started.
struct ClassQuestion {
  uint64_t number;
  LazyQuestion question;
};
std::string to_bytes(std::span<const ClassQuestion> questions);
std::vector<ClassQuestion> read_questions(std::string_view body);
std::string to_bytes(std::span<const LazyAnswer> answers);
std::vector<LazyAnswer> read_answers(std::string_view body);

// scores: of a class, for the shard's rows begin … end − 1. The answer is a list of these.
struct ScoresOf {
  uint64_t number, begin, end;
};
std::string to_bytes(const ScoresOf& some);
ScoresOf read_scores_of(std::string_view body);
std::string to_bytes(std::span<const int64_t> scores);
std::vector<int64_t> read_scores(std::string_view body, size_t count);

// rows: by their numbers in the shard; the answer is what they hold. The selection is over then.
struct StoredRows {
  std::vector<int8_t> values;
  std::vector<float> scales;
};
std::string to_bytes(std::span<const uint64_t> numbers);
std::vector<uint64_t> read_numbers(std::string_view body);
std::string to_bytes(const StoredRows& rows);
StoredRows read_stored_rows(std::string_view body, size_t count, size_t dim);

}  // namespace dppl
