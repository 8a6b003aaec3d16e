// Fits on pools in shards: the bytes of a fit on one pool file, whatever happens to the shards; or no model.
#include "dppl/shards.h"

#include <gtest/gtest.h>

#include <map>

#include "dppl/fit.h"
#include "methods/method.h"
#include "rows/pool_file.h"
#include "selection/remote_shards.h"
#include "selection/select.h"
#include "support/expect_error.h"
#include "support/labelled_sample.h"
#include "support/selection_laws.h"
#include "support/selection_rows.h"
#include "support/shard_files.h"
#include "support/statistics.h"

namespace dppl {
namespace {

using testing::carrier;
using testing::data_of;
using testing::exact_scores;
using testing::expect_error;
using testing::kDim;
using testing::kScoreRanges;
using testing::nearly_normal;
using testing::random_rows;
using testing::rows_around;
using testing::sample;
using testing::ShardFiles;

// Half of them near the centre of a class, half anywhere.
std::vector<float> mixed_rows(size_t rows, size_t dim, uint64_t centre) {
  SeededRandom centre_random(centre), random(99);
  std::vector<float> middle(dim), values;
  for (float& value : middle) value = nearly_normal(centre_random);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t k = 0; k < dim; ++k) values.push_back((i % 2 == 0 ? middle[k] : 0.0f) + nearly_normal(random));
  }
  return values;
}

std::shared_ptr<RemotePool> remote_pool(const ShardFiles& files, const ShardFiles::Cut& cut, RemotePool::Ask ask) {
  return std::make_shared<RemotePool>(cut.shards, files.pool().digest(), "a session", std::move(ask));
}

// ---- The bits

struct Fitted {
  Settings settings;
  BudgetSpec budget;
  bool people = false, examples = false;
};

const ScoreClip kClipped{Rational(6, 5), Rational(8, 5)};

std::vector<Fitted> kinds() {
  const BudgetSpec zcdp = BudgetSpec::zcdp(Rational(1, 2)), pure = BudgetSpec::pure(2);
  const auto people = [](BudgetSpec spec) {
    spec.relation = Relation::add_remove_person;
    return spec;
  };
  std::vector<Fitted> all;
  for (const ScoreClip& clip : {ScoreClip{}, kClipped}) {
    all.push_back({PublicSettings{.clip = clip}, zcdp});
    all.push_back({PublicSettings{.clip = clip}, people(zcdp), true});
    all.push_back({PublicSettings{.clip = clip}, zcdp, false, true});
    all.push_back({PublicSettings{.clip = clip, .mechanism = SelectionMechanism::permute_and_flip}, pure});
    all.push_back({PublicSettings{.clip = clip, .mechanism = SelectionMechanism::laplace}, pure});
    all.push_back({PublicKSettings{.clip = clip, .k = 3}, zcdp});
    all.push_back({PublicKSettings{.clip = clip, .k = 3}, people(pure), true, true});
  }
  return all;
}

std::string fitted(const Fitted& kind, const PublicData& pool, const std::shared_ptr<RemotePool>& remote,
                   const std::string& transform, uint64_t seed = 7) {
  const testing::Sample records = sample(200);
  PrivateData data = data_of(records);
  if (kind.people) {
    std::vector<int64_t> ids;
    for (int64_t i = 0; i < 200; ++i) ids.push_back(i * i % 61);
    data = std::move(data).with_people(ids);
  }
  FitOptions options{.settings = with_transform(kind.settings, TransformSpec::parse(transform)), .remote = remote};
  if (kind.examples) {
    const PublicData known = PublicData::from_memory(random_rows(4, 33), kDim);
    options.knowledge =
        std::make_shared<ClassKnowledge>(ClassSet::numbered(3), known, std::vector<int64_t>{0, 1, 1, 2}, std::nullopt);
  }
  SeededRandom random(seed);
  return serialise_model(fit(data, pool, options, Budget::unledgered(kind.budget), random));
}

TEST(Shards, AnyNumberOfThemGivesTheModelOfOnePoolFile) {
  for (const std::string transform : {"none", "whiten:5"}) {
    const ShardFiles files(random_rows(300, 2), kDim, transform);
    const PublicData pool = files.pool();
    for (const size_t parts : {1u, 2u, 3u, 7u, 64u}) {
      const ShardFiles::Cut cut = files.cut(parts);
      std::vector<SelectionShard> shards = cut.open();
      const auto remote = remote_pool(files, cut, carrier(shards));
      EXPECT_EQ(remote->transform(), transform);
      const PublicData here = PublicData::open(cut.manifest, 1);
      for (const Fitted& kind : kinds()) {
        EXPECT_EQ(fitted(kind, remote->description(), remote, transform), fitted(kind, pool, nullptr, transform))
            << method_name(kind.settings) << " " << parts << " " << transform;
        EXPECT_EQ(fitted(kind, here, nullptr, transform), fitted(kind, pool, nullptr, transform))
            << method_name(kind.settings) << " " << parts << " " << transform;
      }
    }
  }
}

std::vector<Budget> budgets(size_t classes, const Rational& epsilon) {
  return Budget::parallel(Budget::unledgered(BudgetSpec::pure(epsilon)), classes);
}

std::vector<std::vector<size_t>> values_of(const std::vector<Choice>& choices) {
  std::vector<std::vector<size_t>> values;
  for (const Choice& choice : choices) values.push_back(choice.value);
  return values;
}

// Several groups of classes, classes without records and with enough of them for tighter bounds; in shards of one
// process too.
TEST(Shards, ManyClassesAreChosenAsFromOnePool) {
  const size_t dim = 24, classes = 40;
  const ShardFiles files(mixed_rows(2000, dim, 1), dim);
  const auto file = PoolFile::open(files.whole(), 1);
  for (const ScoreRange& range : {kScoreRanges[0], kScoreRanges[1]}) {
    for (const Rational& epsilon : {Rational(1, 1000), Rational(2)}) {
      const SelectionTask task{.classes = classes,
                               .records = [&](size_t c, unsigned) { return rows_around(c * 5, dim, c, 1.0f, c); },
                               .range = range,
                               .threads = 2};
      SelectionWork work;
      SeededRandom random(3);
      const auto whole = values_of(select_rows(task, file->rows(), budgets(classes, epsilon), random, &work));
      for (const size_t parts : {1u, 2u, 3u, 7u, 64u}) {
        const ShardFiles::Cut cut = files.cut(parts);
        std::vector<QuantisedRows> rows;
        for (const std::string& path : cut.paths) rows.push_back(PoolFile::open(path, 1)->rows());
        SeededRandom local_random(3);
        EXPECT_EQ(values_of(select_rows(task, ShardedRows(rows), budgets(classes, epsilon), local_random)), whole);

        std::vector<SelectionShard> shards = cut.open();
        const auto remote = remote_pool(files, cut, carrier(shards));
        SeededRandom remote_random(3);
        SelectionWork remote_work;
        EXPECT_EQ(values_of(select_rows(task, *remote, budgets(classes, epsilon), remote_random, &remote_work)), whole);
        EXPECT_EQ(remote_work.pairs, work.pairs);
        EXPECT_EQ(remote_work.evaluated, work.evaluated);
      }
    }
  }
}

// n = 20,000 choices over 3 shards, α = 1e-6; a law at twice the ε is seen.
TEST(Shards, HaveTheLawOfEnumeration) {
  const size_t dim = 12;
  const ShardFiles files(mixed_rows(120, dim, 1), dim);
  const QuantisedRows pool = PoolFile::open(files.whole(), 1)->rows(), members = rows_around(6, dim, 1, 1.0f, 4);
  const ShardFiles::Cut cut = files.cut(3);
  std::vector<SelectionShard> shards = cut.open();
  const auto remote = remote_pool(files, cut, carrier(shards));
  const ScoreRange range = kScoreRanges[1];
  const SelectionTask task{.classes = 1, .records = [&](size_t, unsigned) { return members; }, .range = range};
  SeededRandom random(17);
  uint64_t run = 0;
  const auto counts = testing::count_draws(20000, pool.rows(), [&] {
    Random stream = random.stream(run++);
    return select_rows(task, *remote, budgets(1, 1), stream).at(0).value.at(0);
  });
  const auto exact = exact_scores(members, pool, range);
  EXPECT_GT(testing::chi_square_p_value(counts, testing::exponential_law(exact, 1, range.per_record())),
            testing::kAlpha);
  EXPECT_LT(testing::chi_square_p_value(counts, testing::exponential_law(exact, 2, range.per_record())),
            testing::kAlpha)
      << "no power";
}

// ---- Shards are lost

RequestKind kind_of(const ShardRequest& request) { return read_request(request.message()).head.kind; }

// Carries requests, and loses a shard with all it knows: before it answers, or after it did and the reply is lost, too.
class LosingCarrier {
 public:
  explicit LosingCarrier(const ShardFiles::Cut& cut) : cut_(cut), shards_(cut.open()) {}

  // At the request of this number; of which shard and when, the number says.
  void lose_at(uint64_t asked) { lose_at_ = asked; }
  uint64_t asked() const { return asked_; }
  const std::map<RequestKind, size_t>& lost() const { return lost_; }

  RemotePool::Ask ask() {
    return [this](std::span<const ShardRequest> requests) {
      std::vector<std::string> replies;
      for (const ShardRequest& request : requests) {
        const bool lose = asked_++ == lose_at_;
        std::string reply;
        if (lose && lose_at_ % 2 == 0) reply = shards_[request.shard()].answer(request.message());
        if (lose) {
          shards_[request.shard()] = cut_.open(request.shard());
          ++lost_[kind_of(request)];
        }
        replies.push_back(answered(request));
        if (!reply.empty()) {
          EXPECT_EQ(replies.back(), reply) << "a shard made anew says something else";
        }
      }
      return replies;
    };
  }

 private:
  std::string answered(const ShardRequest& request) {
    SelectionShard& shard = shards_[request.shard()];
    try {
      return shard.answer(request.message());
    } catch (const ShardOutOfStep&) {
      for (const std::string& old : request.replay()) shard.answer(old);
      return shard.answer(request.message());
    }
  }

  const ShardFiles::Cut& cut_;
  std::vector<SelectionShard> shards_;
  uint64_t asked_ = 0, lose_at_ = ~uint64_t{0};
  std::map<RequestKind, size_t> lost_;
};

TEST(Shards, ALostShardAtAnyStepLeavesTheModelAsItIs) {
  const ShardFiles files(random_rows(300, 2), kDim);
  const ShardFiles::Cut cut = files.cut(3);
  const Fitted kinds[] = {{PublicSettings{}, BudgetSpec::zcdp(Rational(1, 2))},
                          {PublicSettings{.clip = kClipped}, BudgetSpec::zcdp(Rational(1, 50))},
                          {PublicKSettings{.k = 2}, BudgetSpec::pure(1)}};
  std::map<RequestKind, size_t> lost;
  for (const Fitted& kind : kinds) {
    for (uint64_t seed = 0; seed < 4; ++seed) {
      const std::string expected = fitted(kind, files.pool(), nullptr, "none", seed);
      LosingCarrier undisturbed(cut);
      const auto calm = remote_pool(files, cut, undisturbed.ask());
      EXPECT_EQ(fitted(kind, calm->description(), calm, "none", seed), expected);
      for (uint64_t step = 0; step < undisturbed.asked(); ++step) {
        LosingCarrier losing(cut);
        losing.lose_at(step);
        const auto remote = remote_pool(files, cut, losing.ask());
        EXPECT_EQ(fitted(kind, remote->description(), remote, "none", seed), expected) << seed << " " << step;
        for (const auto& [what, times] : losing.lost()) lost[what] += times;
      }
    }
  }
  // At every step.
  size_t all = 0;
  for (const RequestKind what :
       {RequestKind::describe, RequestKind::start, RequestKind::questions, RequestKind::scores, RequestKind::rows}) {
    EXPECT_GT(lost[what], 0u) << static_cast<int>(what);
    all += lost[what];
  }
  EXPECT_GE(all, 200u);
}

TEST(Shards, WithoutWhatWasAskedBeforeAShardIsOutOfStep) {
  const ShardFiles files(random_rows(60, 2), kDim);
  const ShardFiles::Cut cut = files.cut(2);
  std::vector<SelectionShard> shards = cut.open();
  const auto honest = carrier(shards);
  bool lost = false;
  const auto remote = remote_pool(files, cut, [&](std::span<const ShardRequest> requests) {
    if (!lost && kind_of(requests[0]) == RequestKind::questions) {
      lost = true;
      shards[requests[0].shard()] = cut.open(requests[0].shard());
    }
    return honest(requests);
  });
  const Fitted kind{PublicSettings{}, BudgetSpec::pure(1)};
  expect_error<ShardOutOfStep>([&] { fitted(kind, remote->description(), remote, "none"); }, {"ask them again"});
  // What follows is a fit of its own.
  EXPECT_EQ(fitted(kind, remote->description(), remote, "none"), fitted(kind, files.pool(), nullptr, "none"));
}

// ---- Replies that are not to be used

TEST(Shards, WrongRepliesAreNeverUsed) {
  const ShardFiles files(random_rows(60, 2), kDim);
  const ShardFiles::Cut cut = files.cut(2);
  const Fitted kind{PublicSettings{.clip = kClipped}, BudgetSpec::zcdp(Rational(1, 50))};
  struct NothingWrong {};
  using Replies = std::vector<std::string>;
  using Wrong = std::function<void(Replies & replies, const Replies& before, std::span<const ShardRequest> requests)>;
  // Of another session, with the same numbers.
  std::vector<SelectionShard> elsewhere = cut.open();
  std::map<uint64_t, std::string> foreign;
  {
    const auto honest = carrier(elsewhere);
    const auto other = std::make_shared<RemotePool>(cut.shards, files.pool().digest(), "another session",
                                                    [&](std::span<const ShardRequest> requests) {
                                                      auto replies = honest(requests);
                                                      for (size_t j = 0; j < replies.size(); ++j) {
                                                        foreign[requests[j].sequence()] = replies[j];
                                                      }
                                                      return replies;
                                                    });
    fitted(kind, other->description(), other, "none");
  }
  const std::vector<std::pair<const char*, Wrong>> wrongs = {
      {"doubled", [](Replies& replies, const Replies&, auto) { replies.back() = replies.front(); }},
      {"late", [](Replies& replies, const Replies& before, auto) { replies.front() = before.front(); }},
      {"reordered", [](Replies& replies, const Replies&, auto) { std::swap(replies.front(), replies.back()); }},
      {"foreign",
       [&](Replies& replies, const Replies&, auto requests) { replies[0] = foreign.at(requests[0].sequence()); }},
      {"damaged", [](Replies& replies, const Replies&, auto) { replies[0][replies[0].size() / 2] ^= 1; }},
      {"cut", [](Replies& replies, const Replies&, auto) { replies[0].pop_back(); }},
      {"empty", [](Replies& replies, const Replies&, auto) { replies[0].clear(); }},
      {"missing", [](Replies& replies, const Replies&, auto) { replies.pop_back(); }},
      {"too many", [](Replies& replies, const Replies&, auto) { replies.push_back(replies[0]); }},
  };
  for (const auto& named : wrongs) {
    const char* const name = named.first;
    const Wrong& wrong = named.second;
    size_t refused = 0;
    bool applied = true;
    // At each step where there are two replies to get wrong, and some before them.
    for (size_t step = 1; applied; ++step) {
      applied = false;
      std::vector<SelectionShard> shards = cut.open();
      const auto honest = carrier(shards);
      size_t asked = 0;
      Replies before;
      const auto lying = [&](std::span<const ShardRequest> requests) {
        Replies replies = honest(requests);
        if (asked++ == step) {
          applied = true;
          Replies changed = replies;
          wrong(changed, before, requests);
          if (changed == replies) throw NothingWrong{};
          replies = changed;
        }
        before = replies;
        return replies;
      };
      try {
        const auto remote = remote_pool(files, cut, lying);
        fitted(kind, remote->description(), remote, "none");
        EXPECT_FALSE(applied) << name << " " << step;
      } catch (const NothingWrong&) {
      } catch (const InvalidInput& error) {
        EXPECT_NE(std::string_view(error.what()).find("shards: "), std::string_view::npos) << error.what();
        ++refused;
      }
    }
    // Start, bounds, scores, weights, proposals, rows; a proposal may be of one shard alone.
    EXPECT_GE(refused, 5u) << name;
  }
}

TEST(Shards, APoolIsOfTheShardsThatWereSaid) {
  const ShardFiles files(random_rows(60, 2), kDim), others(random_rows(60, 3), kDim);
  const ShardFiles whitened(random_rows(60, 2), kDim, "whiten:5");
  const ShardFiles::Cut cut = files.cut(2), other = others.cut(2), white = whitened.cut(2);
  std::vector<SelectionShard> shards = cut.open();
  const auto refused = [&](std::vector<RemotePool::Shard> said, std::vector<SelectionShard> there,
                           std::string_view words) {
    expect_error<InvalidInput>([&] { RemotePool(std::move(said), files.pool().digest(), "s", carrier(there)); },
                               {words});
  };
  refused({}, cut.open(), "at least one");
  refused(cut.shards, other.open(), "another pool file");
  refused({cut.shards[1], cut.shards[0]}, cut.open(), "another pool file");
  refused({{cut.shards[0].digest, 29}, cut.shards[1]}, cut.open(), "another place");
  refused({cut.shards[0], {cut.shards[1].digest, 31}}, cut.open(), "has 30 rows, not 31");
  refused({cut.shards[0], {"abc", 30}}, cut.open(), "not a digest");
  std::vector<SelectionShard> mixed;
  mixed.push_back(cut.open(0));
  mixed.push_back(white.open(1));
  refused({cut.shards[0], white.shards[1]}, std::move(mixed), "another transform");
  expect_error<InvalidInput>([&] { RemotePool(cut.shards, "abc", "s", carrier(shards)); }, {"digest"});
}

// What a pool on other machines cannot do is refused before anything is spent.
TEST(Shards, OtherMethodsAreRefused) {
  const ShardFiles files(random_rows(60, 2), kDim);
  const ShardFiles::Cut cut = files.cut(2);
  std::vector<SelectionShard> shards = cut.open();
  const auto remote = remote_pool(files, cut, carrier(shards));
  const PrivateData data = data_of(sample());
  const auto plan = [&](const Settings& settings, const std::string& transform, const std::optional<PublicData>& pool) {
    const FitOptions options{.settings = with_transform(settings, TransformSpec::parse(transform)), .remote = remote};
    FitPlan(data, pool, options, BudgetSpec::zcdp(1));
  };
  const PublicData pool = remote->description();
  expect_error<InvalidSetting>([&] { plan(MeanSettings{}, "none", pool); }, {"on other machines"});
  expect_error<InvalidSetting>([&] { plan(AutoSettings{}, "none", pool); }, {"on other machines"});
  expect_error<InvalidInput>([&] { plan(PublicSettings{}, "pca:3", pool); }, {"holds rows after none"});
  expect_error<InvalidInput>([&] { plan(PublicSettings{}, "none", std::nullopt); }, {"not the description"});
  expect_error<InvalidSetting>([&] { plan(PublicKSettings{.k = 61}, "none", pool); }, {"61 prototypes"});
  expect_error<InvalidInput>([&] { pool.embeddings(); }, {"elsewhere"});
  plan(PublicSettings{}, "none", pool);
}

// What a carrier throws ends the fit as it is.
TEST(Shards, AShardThatIsLostForGoodEndsTheFit) {
  const ShardFiles files(random_rows(60, 2), kDim);
  const ShardFiles::Cut cut = files.cut(2);
  std::vector<SelectionShard> shards = cut.open();
  const auto honest = carrier(shards);
  struct Lost {};
  size_t asked = 0;
  const auto remote = remote_pool(files, cut, [&](std::span<const ShardRequest> requests) {
    if (asked++ == 4) throw Lost{};
    return honest(requests);
  });
  EXPECT_THROW(fitted({PublicSettings{}, BudgetSpec::pure(1)}, remote->description(), remote, "none"), Lost);
}

}  // namespace
}  // namespace dppl
