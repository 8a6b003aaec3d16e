#include "selection/shard_messages.h"

#include <fmt/format.h>

#include <cmath>

#include "base/wire.h"

namespace dppl {
namespace {

constexpr std::string_view kAsk = "dpplask2", kSay = "dpplsay1";

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

[[noreturn]] void refuse(std::string_view what) { throw InvalidInput(fmt::format("message: {}", what)); }

void require(bool holds, std::string_view what) {
  if (!holds) refuse(what);
}

bool get_flag(WireReader& in) {
  const auto value = in.get<uint8_t>();
  require(value <= 1, "a flag is neither 0 nor 1");
  return value == 1;
}

void add_flag(WireWriter& out, bool value) { out.add(static_cast<uint8_t>(value ? 1 : 0)); }

void add_optional(WireWriter& out, const std::optional<int64_t>& value) {
  add_flag(out, value.has_value());
  out.add(value.value_or(0));
}

std::optional<int64_t> get_optional(WireReader& in) {
  const bool there = get_flag(in);
  const auto value = in.get<int64_t>();
  return there ? std::optional(value) : std::nullopt;
}

void expect_magic(WireReader& in, std::string_view magic) {
  for (const char letter : magic) require(in.get<char>() == letter, "is of another program or version");
}

// Of the longest row: pairs of values are at most 128 (QuantisedRows).
double get_length(WireReader& in) {
  const auto value = in.get<double>();
  require(value >= 1 && value <= 128 * std::sqrt(static_cast<double>(QuantisedRows::kLargestDim)), "a row is too long");
  return value;
}

// ---- Classes

// Below 2^39 records of full weight no sum leaves its 128 bits (ScoreRange).
constexpr int kRecordBits = 39, kDenominatorBits = 40;

void add_class(WireWriter& out, const StartedClass& one) {
  const ClassSummary& summary = one.summary;
  out.add(uint64_t{summary.records});
  out.add(summary.weight);
  out.add(summary.denominator);
  out.add(summary.variance);
  out.add_list(std::span<const int128>(summary.sum));
  out.add_text(one.unit.get_str());
  const QuantisedRows& rows = one.records.rows;
  out.add_list(std::span<const int8_t>(rows.row(0), rows.rows() * rows.dim()));
  out.add_list(std::span<const int64_t>(one.records.weights));
}

// What the arithmetic of scores relies on holds, whoever sent it.
void check_class(const StartedClass& one, const ScoreRange& range) {
  const ClassSummary& summary = one.summary;
  require(summary.denominator >= 1 && summary.denominator < (int64_t{1} << kDenominatorBits),
          "weights are in no parts");
  require(summary.records < (uint64_t{1} << kRecordBits) && summary.weight >= 0 &&
              summary.weight <= static_cast<int128>(summary.records) * summary.denominator,
          "a class weighs too much");
  require(std::isfinite(summary.variance) && summary.variance >= 0, "a number is out of range");
  double squares = 0;
  for (const int128 value : summary.sum) {
    const auto size = static_cast<double>(value);
    squares += size * size;
  }
  require(std::sqrt(squares) <= static_cast<double>(summary.weight) * std::ldexp(1.001, kFactorBits),
          "a class's sum is too long");
  require(range.whole() || one.records.rows.rows() == summary.records, "a class has another number of records");
  require(one.records.weights.empty() || one.records.weights.size() == one.records.rows.rows(),
          "a class has another number of weights");
  for (const int64_t weight : one.records.weights) {
    require(weight >= 0 && weight <= summary.denominator, "a record weighs too much");
  }
}

StartedClass get_class(WireReader& in, const ScoreRange& range, size_t dim) {
  ClassSummary summary;
  summary.records = in.get<uint64_t>();
  summary.weight = in.get<int128>();
  summary.denominator = in.get<int64_t>();
  summary.variance = in.get<double>();
  summary.sum = in.get_list<int128>();
  require(summary.sum.size() == dim, "is of another dimension");
  const std::string text(in.get_text());
  Rational unit;
  require(text.size() < 2000 && unit.set_str(text, 10) == 0 && unit.get_den() > 0, "a unit is no fraction");
  unit.canonicalize();
  require(unit >= 0 && unit < Rational(mpz_class(1) << 1000), "a unit is out of range");
  const auto values = in.get_list<int8_t>();
  require(values.size() % dim == 0, "rows are cut short");
  auto weights = in.get_list<int64_t>();
  const int64_t denominator = summary.denominator;
  StartedClass one{
      std::move(summary), std::move(unit), {QuantisedRows::of_values(values, dim), std::move(weights), denominator}};
  check_class(one, range);
  return one;
}

// ---- Questions and answers

void add(WireWriter& out, const AskLargest& question) {
  out.add(question.count);
  add_optional(out, question.tighten_for);
}
void add(WireWriter& out, const AskEvaluate& question) {
  out.add(question.count);
  add_optional(out, question.tighten_for);
}
void add(WireWriter& out, const AskWeigh& question) {
  out.add(question.best_known);
  out.add(question.largest);
}
void add(WireWriter& out, const AskPlaces& question) { out.add_list(std::span<const uint128>(question.places)); }

void add(WireWriter& out, const SayLargest& answer) { out.add_list(std::span<const int64_t>(answer.bounds)); }
void add(WireWriter& out, const SayEvaluated& answer) {
  out.add(answer.count);
  add_optional(out, answer.best);
  add_optional(out, answer.open);
}
void add(WireWriter& out, const SayWeighed& answer) {
  out.add(answer.near);
  out.add(answer.total);
  out.add(answer.known);
}
void add(WireWriter& out, const SayPlaces& answer) {
  out.add_list(std::span<const SayPlaces::Proposed>(answer.proposed));
  out.add(answer.evaluated);
}

template <typename Variant>
void add_variant(WireWriter& out, const Variant& value) {
  out.add(static_cast<uint8_t>(value.index()));
  std::visit([&](const auto& one) { add(out, one); }, value);
}

// Scores of 62 bits, and differences of them, are all that arithmetic is made for.
int64_t get_score(WireReader& in) {
  const auto value = in.get<int64_t>();
  require(value >= 0 && value <= int64_t{1} << 62, "a score is out of range");
  return value;
}

LazyQuestion get_question(WireReader& in) {
  switch (in.get<uint8_t>()) {
    case 0: {
      const auto count = in.get<uint64_t>();
      return AskLargest{count, get_optional(in)};
    }
    case 1: {
      const auto count = in.get<uint64_t>();
      return AskEvaluate{count, get_optional(in)};
    }
    case 2: {
      const int64_t best_known = get_score(in);
      return AskWeigh{best_known, get_score(in)};
    }
    case 3:
      return AskPlaces{in.get_list<uint128>()};
    default:
      refuse("asks what no one knows");
  }
}

LazyAnswer get_answer(WireReader& in) {
  switch (in.get<uint8_t>()) {
    case 0:
      return SayLargest{in.get_list<int64_t>()};
    case 1: {
      const auto count = in.get<uint64_t>();
      const auto best = get_optional(in);
      return SayEvaluated{count, best, get_optional(in)};
    }
    case 2: {
      const auto near = in.get<uint64_t>();
      const auto total = in.get<uint128>();
      return SayWeighed{near, total, in.get<uint128>()};
    }
    case 3: {
      auto proposed = in.get_list<SayPlaces::Proposed>();
      return SayPlaces{std::move(proposed), in.get<uint64_t>()};
    }
    default:
      refuse("answers what no one asks");
  }
}

template <typename T>
std::string list_bytes(std::span<const T> values) {
  WireWriter out;
  out.add_list(values);
  return out.take();
}

template <typename T>
std::vector<T> read_list(std::string_view body) {
  WireReader in(body);
  auto values = in.get_list<T>();
  in.end();
  return values;
}

}  // namespace

ShardMessage::ShardMessage(const RequestHead& to, std::shared_ptr<const std::string> shared_body)
    : sequence(to.sequence), body(std::move(shared_body)) {
  WireWriter out;
  for (const char letter : kAsk) out.add(letter);
  out.add(to.sequence);
  out.add(to.session);
  out.add(to.shard);
  out.add(to.first_row);
  out.add(to.history);
  out.add(to.kind);
  head = out.take();
  digest = digest_of(bytes_of(head), bytes_of(*body));
}

ReceivedRequest read_request(std::string_view request) {
  WireReader in(request);
  expect_magic(in, kAsk);
  RequestHead head;
  head.sequence = in.get<uint64_t>();
  head.session = in.get<Digest>();
  head.shard = in.get<Digest>();
  head.first_row = in.get<uint64_t>();
  head.history = in.get<Digest>();
  const auto kind = in.get<uint64_t>();
  require(kind >= static_cast<uint64_t>(RequestKind::describe) && kind <= static_cast<uint64_t>(RequestKind::rows),
          "asks what no one knows");
  head.kind = static_cast<RequestKind>(kind);
  return {head, in.rest(), digest_of(bytes_of(request))};
}

std::string make_reply(const ReceivedRequest& request, std::string_view body) {
  WireWriter out;
  for (const char letter : kSay) out.add(letter);
  out.add(request.head.sequence);
  out.add(request.digest);
  std::string reply = out.take();
  reply.append(body);
  const Digest seal = digest_of(bytes_of(reply));
  return reply.append(reinterpret_cast<const char*>(seal.data()), seal.size());
}

std::string_view read_reply(std::string_view reply, const ShardMessage& request) try {
  if (reply.size() < sizeof(Digest)) refuse("is cut short");
  const std::string_view sealed = reply.substr(0, reply.size() - sizeof(Digest));
  const Digest seal = digest_of(bytes_of(sealed));
  if (std::memcmp(seal.data(), reply.data() + sealed.size(), sizeof seal) != 0) refuse("is damaged");
  WireReader in(sealed);
  expect_magic(in, kSay);
  const auto sequence = in.get<uint64_t>();
  const auto digest = in.get<Digest>();
  if (digest != request.digest) refuse(fmt::format("answers another request, of number {}", sequence));
  return in.rest();
} catch (const InvalidInput& error) {
  throw InvalidInput(
      fmt::format("shards: the reply to request {} cannot be used ({})", request.sequence, error.what()));
}

std::string to_bytes(const ShardDescription& description) {
  const PublicTransform& transform = description.transform;
  WireWriter out;
  out.add(description.rows);
  out.add(description.longest);
  out.add(uint64_t{transform.input_dim()});
  out.add_text(transform.spec().to_string());
  out.add_list(transform.mean());
  out.add_list(transform.basis());
  return out.take();
}

ShardDescription read_description(std::string_view body) {
  WireReader in(body);
  const auto rows = in.get<uint64_t>();
  const double longest = get_length(in);
  const auto input_dim = in.get<uint64_t>();
  const TransformSpec spec = TransformSpec::parse(in.get_text());
  require(input_dim > 0 && input_dim <= (uint64_t{1} << 32) && spec.window > 0, "is of no dimension");
  auto mean = in.get_list<float>();
  auto basis = in.get_list<float>();
  in.end();
  return {rows, longest, PublicTransform::restore(spec, input_dim, std::move(mean), std::move(basis))};
}

std::string to_bytes(const Start& start) {
  WireWriter out;
  add_flag(out, start.lazy);
  out.add(start.range.low);
  out.add(start.range.high);
  out.add(start.longest);
  out.add(uint64_t{start.classes.size()});
  for (const StartedClass& one : start.classes) add_class(out, one);
  return out.take();
}

Start read_start(std::string_view body, size_t dim) {
  WireReader in(body);
  Start start;
  start.lazy = get_flag(in);
  start.range.low = in.get<int64_t>();
  start.range.high = in.get<int64_t>();
  require(start.range.low < start.range.high && start.range.low >= -kCosineOne && start.range.high <= kCosineOne,
          "a range of scores is empty or too wide");
  start.longest = get_length(in);
  const size_t classes = in.get_count(1);
  for (size_t c = 0; c < classes; ++c) start.classes.push_back(get_class(in, start.range, dim));
  in.end();
  return start;
}

std::string to_bytes(std::span<const ClassQuestion> questions) {
  WireWriter out;
  out.add(uint64_t{questions.size()});
  for (const auto& [number, question] : questions) {
    out.add(number);
    add_variant(out, question);
  }
  return out.take();
}

std::vector<ClassQuestion> read_questions(std::string_view body) {
  WireReader in(body);
  std::vector<ClassQuestion> questions;
  for (size_t count = in.get_count(1); count > 0; --count) {
    const auto number = in.get<uint64_t>();
    questions.push_back({number, get_question(in)});
  }
  in.end();
  return questions;
}

std::string to_bytes(std::span<const LazyAnswer> answers) {
  WireWriter out;
  out.add(uint64_t{answers.size()});
  for (const LazyAnswer& answer : answers) add_variant(out, answer);
  return out.take();
}

std::vector<LazyAnswer> read_answers(std::string_view body) {
  WireReader in(body);
  std::vector<LazyAnswer> answers;
  for (size_t count = in.get_count(1); count > 0; --count) answers.push_back(get_answer(in));
  in.end();
  return answers;
}

std::string to_bytes(const ScoresOf& some) {
  WireWriter out;
  out.add(some);
  return out.take();
}

ScoresOf read_scores_of(std::string_view body) {
  WireReader in(body);
  const auto some = in.get<ScoresOf>();
  in.end();
  return some;
}

std::string to_bytes(std::span<const int64_t> scores) { return list_bytes(scores); }

std::vector<int64_t> read_scores(std::string_view body, size_t count) {
  auto scores = read_list<int64_t>(body);
  require(scores.size() == count, "has another number of scores");
  return scores;
}

std::string to_bytes(std::span<const uint64_t> numbers) { return list_bytes(numbers); }
std::vector<uint64_t> read_numbers(std::string_view body) { return read_list<uint64_t>(body); }

std::string to_bytes(const StoredRows& rows) {
  WireWriter out;
  out.add_list(std::span<const int8_t>(rows.values));
  out.add_list(std::span<const float>(rows.scales));
  return out.take();
}

StoredRows read_stored_rows(std::string_view body, size_t count, size_t dim) {
  WireReader in(body);
  StoredRows rows;
  rows.values = in.get_list<int8_t>();
  rows.scales = in.get_list<float>();
  in.end();
  require(rows.values.size() == count * dim && rows.scales.size() == count, "has another number of rows");
  for (const float scale : rows.scales) require(std::isfinite(128 * scale) && scale >= 0, "a scale is out of range");
  return rows;
}

}  // namespace dppl
