#include "selection/shard_messages.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/random_rows.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::random_quantised;

constexpr size_t kDim = 5;

Start some_start() {
  Start start{true, ScoreRange::of(Rational(6, 5), Rational(8, 5)), 300, {}};
  for (const size_t records : {0u, 1u, 7u}) {
    WeightedRows rows(random_quantised(records, kDim, 3), {}, 10);
    for (size_t i = 0; i < records; ++i) rows.weights.push_back(static_cast<int64_t>(i % 11));
    start.classes.push_back({summarise(rows, true, 1), Rational(3, 1000), rows});
  }
  return start;
}

// Read back whole; refused at every length before and behind.
template <typename Read>
void check_lengths(const std::string& body, const Read& read) {
  read(body);
  for (size_t size = 0; size < body.size(); ++size) {
    EXPECT_THROW(read(std::string_view(body).substr(0, size)), InvalidInput) << size << " of " << body.size();
  }
  EXPECT_THROW(read(body + '\0'), InvalidInput);
}

TEST(ShardMessages, AreRefusedWhereTheyAreCut) {
  const PublicTransform transform = PublicTransform::restore({}, kDim, {}, {});
  check_lengths(to_bytes(ShardDescription{9, 100, transform}), [](std::string_view body) { read_description(body); });
  check_lengths(to_bytes(some_start()), [](std::string_view body) { read_start(body, kDim); });
  const std::vector<ClassQuestion> questions{
      {0, AskLargest{7, 5}}, {1, AskEvaluate{3, 8}}, {2, AskWeigh{4, 5}}, {3, AskPlaces{{9, 2}}}};
  check_lengths(to_bytes(std::span(questions)), [](std::string_view body) { read_questions(body); });
  const std::vector<LazyAnswer> answers{SayLargest{{3, 2}}, SayEvaluated{2, 1, {}}, SayWeighed{3, 99, 7},
                                        SayPlaces{{{1, 2, 3}}, 1}};
  check_lengths(to_bytes(std::span(answers)), [](std::string_view body) { read_answers(body); });
  check_lengths(to_bytes(ScoresOf{1, 2, 3}), [](std::string_view body) { read_scores_of(body); });
  check_lengths(to_bytes(StoredRows{{1, 2, 3, 4, 5}, {0.5f}}),
                [](std::string_view body) { read_stored_rows(body, 1, kDim); });
}

TEST(ShardMessages, TellWhatWasSaid) {
  const Start start = some_start();
  const Start read = read_start(to_bytes(start), kDim);
  EXPECT_EQ(read.lazy, start.lazy);
  EXPECT_EQ(read.range.low, start.range.low);
  EXPECT_EQ(read.range.high, start.range.high);
  EXPECT_EQ(read.longest, start.longest);
  ASSERT_EQ(read.classes.size(), 3u);
  for (size_t c = 0; c < 3; ++c) {
    const StartedClass &a = start.classes[c], &b = read.classes[c];
    EXPECT_EQ(b.unit, a.unit);
    EXPECT_EQ(b.summary.records, a.summary.records);
    EXPECT_TRUE(b.summary.weight == a.summary.weight && b.summary.sum == a.summary.sum);
    EXPECT_EQ(b.summary.variance, a.summary.variance);
    EXPECT_EQ(b.records.weights, a.records.weights);
    EXPECT_EQ(b.records.denominator, a.records.denominator);
    ASSERT_EQ(b.records.rows.rows(), a.records.rows.rows());
    for (size_t i = 0; i < a.records.rows.rows(); ++i) {
      EXPECT_TRUE(std::equal(a.records.rows.row(i), a.records.rows.row(i) + kDim, b.records.rows.row(i)));
      EXPECT_EQ(b.records.rows.factor(i), a.records.rows.factor(i));
      EXPECT_EQ(b.records.rows.sum(i), a.records.rows.sum(i));
    }
  }
}

// What the arithmetic relies on holds, whoever sent it.
TEST(ShardMessages, ClassesThatNobodyHasAreRefused) {
  const auto refused = [](const std::function<void(Start&)>& change, std::string_view words) {
    Start start = some_start();
    change(start);
    expect_error<InvalidInput>([&] { read_start(to_bytes(start), kDim); }, {words});
  };
  refused([](Start& start) { start.range.high = start.range.low; }, "range of scores");
  refused([](Start& start) { start.range.high = kCosineOne + 1; }, "range of scores");
  refused([](Start& start) { start.longest = 0; }, "too long");
  refused([](Start& start) { start.longest = std::nan(""); }, "too long");
  refused([](Start& start) { start.classes[2].unit = -1; }, "out of range");
  refused([](Start& start) { start.classes[2].summary.denominator = 0; }, "no parts");
  refused([](Start& start) { start.classes[2].summary.weight = -1; }, "weighs too much");
  refused([](Start& start) { start.classes[2].summary.weight = 71; }, "weighs too much");
  refused([](Start& start) { start.classes[2].summary.records = size_t{1} << 40; }, "weighs too much");
  refused([](Start& start) { start.classes[2].summary.variance = HUGE_VAL; }, "out of range");
  refused([](Start& start) { start.classes[2].summary.sum[0] = int128{1} << 100; }, "sum is too long");
  refused([](Start& start) { start.classes[2].summary.sum.pop_back(); }, "another dimension");
  refused([](Start& start) { start.classes[2].records.weights[0] = 11; }, "record weighs");
  refused([](Start& start) { start.classes[2].records.weights.pop_back(); }, "number of weights");
  refused([](Start& start) { start.classes[2].records = start.classes[1].records; }, "number of records");
  EXPECT_THROW(QuantisedRows::of_values(std::vector<int8_t>{100, 29, 0, 0, 0}, kDim), InvalidInput);
  EXPECT_THROW(QuantisedRows::of_values(std::vector<int8_t>{-128, 1, 0, 0, 0}, kDim), InvalidInput);
}

TEST(ShardMessages, AReplyIsToItsOwnRequest) {
  const auto body = std::make_shared<const std::string>("what");
  const ShardMessage request({.sequence = 3}, body);
  const ShardMessage later({.sequence = 4}, body), elsewhere({.sequence = 3, .first_row = 1}, body);
  const std::string reply = make_reply(read_request(request.bytes()), "this");
  EXPECT_EQ(read_reply(reply, request), "this");
  expect_error<InvalidInput>([&] { read_reply(reply, later); }, {"reply to request 4", "another request, of number 3"});
  expect_error<InvalidInput>([&] { read_reply(reply, elsewhere); }, {"another request"});
  for (size_t i = 0; i < reply.size(); ++i) {
    std::string damaged = reply;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    EXPECT_THROW(read_reply(damaged, request), InvalidInput) << i;
    EXPECT_THROW(read_reply(std::string_view(reply).substr(0, i), request), InvalidInput) << i;
  }
  for (size_t size = 0; size < request.head.size(); ++size) {
    EXPECT_THROW(read_request(std::string_view(request.head).substr(0, size)), InvalidInput);
  }
}

}  // namespace
}  // namespace dppl
