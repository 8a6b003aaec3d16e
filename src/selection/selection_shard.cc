#include <fmt/format.h>

#include <mutex>
#include <numeric>

#include "base/parallel.h"
#include "rows/pool_file.h"
#include "selection/constants.h"
#include "selection/near_candidates.h"
#include "selection/shard_messages.h"

namespace dppl {
namespace {

// Some classes against the rows of a shard.
class StartedClasses {
 public:
  StartedClasses(const QuantisedRows& rows, double longest, Start start, unsigned threads)
      : rows_(rows), threads_(threads) {
    // Dot products stay within 32 bits because of it.
    if (start.longest < longest) throw InvalidInput("shard: has longer rows than the pool is said to have");
    classes_.resize(start.classes.size());
    parallel_blocks(classes_.size(), 1, threads_, [&](size_t j, size_t, unsigned) {
      classes_[j] = std::make_unique<Class>(rows_, start.classes[j], start, threads_);
    });
    if (start.lazy) bound_all(start);
  }

  std::vector<LazyAnswer> answer(std::span<const ClassQuestion> questions) const {
    std::vector<LazyAnswer> answers(questions.size());
    std::vector<uint8_t> asked(classes_.size());
    for (const ClassQuestion& one : questions) {
      if (one.number >= classes_.size() || !classes_[one.number]->part || asked[one.number]++ != 0) {
        throw InvalidInput("shard: was asked about a class that was not started, or twice");
      }
    }
    parallel_blocks(questions.size(), 1, threads_, [&](size_t j, size_t, unsigned) {
      answers[j] = classes_[questions[j].number]->part->answer(questions[j].question);
    });
    return answers;
  }

  std::vector<int64_t> scores(const ScoresOf& some) const {
    if (some.number >= classes_.size() || some.begin > some.end || some.end > rows_.rows() ||
        some.end - some.begin > kScoresAtOnce) {
      throw InvalidInput("shard: was asked for scores that it does not have");
    }
    std::vector<uint32_t> candidates(some.end - some.begin);
    std::iota(candidates.begin(), candidates.end(), static_cast<uint32_t>(some.begin));
    std::vector<int64_t> scores(candidates.size());
    classes_[some.number]->scores.evaluate(candidates, scores);
    rows_.give_back(some.begin, some.end);
    return scores;
  }

 private:
  struct Class {
    Class(const QuantisedRows& rows, StartedClass& one, const Start& start, unsigned threads)
        : unit(std::move(one.unit)),
          scores(one.records, std::move(one.summary), rows, start.range, threads, start.longest) {}

    Rational unit;
    ClassScores scores;
    WordColumn column;
    std::optional<NearCandidates> near;
    std::unique_ptr<int64_t[]> upper;  // of all rows, without these
    std::optional<LazyPart> part;
  };

  void bound_all(const Start& start) {
    parallel_blocks(classes_.size(), 1, threads_, [&](size_t j, size_t, unsigned) {
      classes_[j]->column = WordColumn::of(classes_[j]->scores.summary().shared_sum(), start.longest);
    });
    if (start.range.whole()) {
      std::vector<NearTask> tasks;
      for (const auto& one : classes_) tasks.push_back({one->scores, one->column, one->unit});
      auto near = find_near(tasks, rows_, threads_);
      for (size_t j = 0; j < near.size(); ++j) classes_[j]->near = std::move(near[j]);
    }
    bound_every_row();
    for (const auto& owned : classes_) {
      Class& one = *owned;
      BoundedValues values;
      if (one.near) {
        values.upper = one.near->upper;
        values.some = one.near->of(rows_.rows());
      } else {
        values.upper = {one.upper.get(), rows_.rows()};
      }
      values.evaluate = [&one](std::span<const uint32_t> candidates, std::span<int64_t> out) {
        one.scores.evaluate(candidates, out);
      };
      if (one.scores.can_tighten()) {
        values.tighten = [&one](std::span<const uint32_t> candidates, std::span<int64_t> out) {
          one.scores.tighten(candidates, out);
        };
      }
      one.part.emplace(std::move(values), one.unit);
    }
  }

  // For the classes of which many count, in one pass over the rows. The dot products live for a block only.
  void bound_every_row() {
    std::vector<Class*> classes;
    std::vector<WordColumn> columns;
    for (const auto& one : classes_) {
      if (one->near) continue;
      one->upper = std::make_unique_for_overwrite<int64_t[]>(rows_.rows());
      classes.push_back(one.get());
      columns.push_back(one->column);
    }
    const ColumnPanels panels(columns);
    parallel_blocks(columns.empty() ? 0 : rows_.rows(), kRowBlock, threads_, [&](size_t begin, size_t end, unsigned) {
      std::vector<int32_t> dots(columns.size() * (end - begin));
      std::vector<int32_t*> out;
      for (size_t j = 0; j < columns.size(); ++j) out.push_back(dots.data() + j * (end - begin));
      panels.multiply(rows_, begin, end, out);
      for (size_t j = 0; j < columns.size(); ++j) {
        classes[j]->scores.bound(columns[j], {out[j], end - begin}, {classes[j]->upper.get() + begin, end - begin},
                                 begin);
      }
      rows_.give_back(begin, end);
    });
  }

  const QuantisedRows& rows_;
  const unsigned threads_;
  std::vector<std::unique_ptr<Class>> classes_;
};

}  // namespace

struct SelectionShard::State {
  State(const std::string& path, size_t first, unsigned used_threads)
      : file(PoolFile::open(path, used_threads)),
        first_row(first),
        threads(used_threads),
        longest(longest_row(file->rows())) {}

  std::string answer(const ReceivedRequest& request);
  std::string describe() const;
  std::string stored_rows(std::string_view body) const;
  void expect_history(const RequestHead& head) const;
  void forget() {
    classes.reset();
    history.reset();
  }

  const std::shared_ptr<const PoolFile> file;
  const size_t first_row;
  const unsigned threads;
  const double longest;
  std::mutex mutex;
  std::optional<StartedClasses> classes;
  std::optional<Digest> history;  // of the last request that changed them
  std::optional<Digest> last_request;
  std::string last_reply;
};

std::string SelectionShard::State::describe() const {
  return to_bytes(ShardDescription{file->rows().rows(), longest, file->transform()});
}

std::string SelectionShard::State::stored_rows(std::string_view body) const {
  StoredRows rows;
  for (const uint64_t i : read_numbers(body)) {
    if (i >= file->rows().rows()) throw InvalidInput("shard: was asked for a row that it does not have");
    rows.values.insert(rows.values.end(), file->rows().row(i), file->rows().row(i) + file->rows().dim());
    rows.scales.push_back(file->scales()[i]);
  }
  return to_bytes(rows);
}

void SelectionShard::State::expect_history(const RequestHead& head) const {
  if (!classes || history != head.history) {
    throw ShardOutOfStep(fmt::format("shard: request {} needs those before it; ask them again first", head.sequence));
  }
}

std::string SelectionShard::State::answer(const ReceivedRequest& request) {
  switch (request.head.kind) {
    case RequestKind::describe:
      return describe();
    case RequestKind::start:
      forget();
      classes.emplace(file->rows(), longest, read_start(request.body, file->rows().dim()), threads);
      return {};
    case RequestKind::questions: {
      expect_history(request.head);
      const auto questions = read_questions(request.body);
      return to_bytes(std::span<const LazyAnswer>(classes->answer(questions)));
    }
    case RequestKind::scores:
      expect_history(request.head);
      return to_bytes(std::span<const int64_t>(classes->scores(read_scores_of(request.body))));
    case RequestKind::rows:
      forget();
      return stored_rows(request.body);
  }
  throw InvalidInput("shard: was asked what it does not know");
}

SelectionShard::SelectionShard(const std::string& path, size_t first_row, unsigned threads)
    : state_(std::make_unique<State>(path, first_row, threads)) {}
SelectionShard::~SelectionShard() = default;
SelectionShard::SelectionShard(SelectionShard&&) noexcept = default;
SelectionShard& SelectionShard::operator=(SelectionShard&&) noexcept = default;

size_t SelectionShard::rows() const { return state_->file->rows().rows(); }
size_t SelectionShard::first_row() const { return state_->first_row; }
const std::string& SelectionShard::digest() const { return state_->file->info().digest; }

std::string SelectionShard::answer(std::string_view bytes) {
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  const ReceivedRequest request = read_request(bytes);
  if (to_hex(request.head.shard) != digest() || request.head.first_row != state.first_row) {
    throw InvalidInput(fmt::format("shard: request {} is for another pool file, or another place of it in the pool",
                                   request.head.sequence));
  }
  // Asked again, because the reply was lost.
  if (state.last_request == request.digest) return state.last_reply;
  try {
    std::string reply = make_reply(request, state.answer(request));
    if (changes_state(request.head.kind)) state.history = request.digest;
    state.last_request = request.digest;
    state.last_reply = reply;
    return reply;
  } catch (const ShardOutOfStep&) {
    throw;
  } catch (...) {
    // Perhaps half of the classes have taken a question.
    state.forget();
    state.last_request.reset();
    throw;
  }
}

}  // namespace dppl
