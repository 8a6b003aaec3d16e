// Draws over parts: the bits of one part, whatever the cut, and no answer that a part would not give.
#include <gtest/gtest.h>

#include <numeric>

#include "base/digest.h"
#include "dppl/error.h"
#include "random/constants.h"
#include "random/lazy_categorical.h"
#include "support/checks.h"
#include "support/expect_error.h"
#include "support/statistics.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::Scores;

// Where values 0 … count − 1 are cut.
std::vector<size_t> even_cuts(size_t count, size_t parts) {
  std::vector<size_t> cuts;
  for (size_t p = 0; p <= parts; ++p) cuts.push_back(p * count / parts);
  return cuts;
}

// Values behind bounds, in parts.
class CutValues {
 public:
  CutValues(Scores values, Scores upper, const std::vector<size_t>& cuts, const Rational& unit, bool can_tighten)
      : values_(std::move(values)), upper_(std::move(upper)), can_tighten_(can_tighten) {
    for (size_t p = 0; p + 1 < cuts.size(); ++p) {
      const size_t first = cuts[p];
      BoundedValues own{std::span(upper_).subspan(first, cuts[p + 1] - first),
                        [this, first](std::span<const uint32_t> indices, std::span<int64_t> out) {
                          for (size_t j = 0; j < out.size(); ++j) out[j] = values_[first + indices[j]];
                        }};
      if (can_tighten) {
        own.tighten = [this, first](std::span<const uint32_t> indices, std::span<int64_t> out) {
          for (size_t j = 0; j < out.size(); ++j) {
            const size_t i = first + indices[j];
            out[j] = values_[i] + (upper_[i] - values_[i]) / 3;
          }
        };
      }
      sizes_.push_back(own.upper.size());
      parts_.push_back(std::make_unique<LazyPart>(std::move(own), unit));
    }
  }

  LazyDraw draw(Random& random, const Rational& unit) {
    std::vector<LazyPart*> parts;
    for (const auto& part : parts_) parts.push_back(part.get());
    return lazy_categorical_exp(random, parts, sizes_, unit, can_tighten_);
  }

  LazyAnswer answer(const LazyCategorical::PartQuestion& asked) { return parts_[asked.part]->answer(asked.question); }
  const std::vector<uint64_t>& sizes() const { return sizes_; }

 private:
  Scores values_, upper_;
  bool can_tighten_;
  std::vector<uint64_t> sizes_;
  std::vector<std::unique_ptr<LazyPart>> parts_;
};

struct Case {
  Scores values, upper;
  Rational unit;
  bool can_tighten;
};

// Of every kind: bounds tight, loose and hopeless, many equal ones, few candidates near, all near, draws that end in
// the first round and ones that go on until all is known.
Case some_case(uint64_t seed) {
  SeededRandom random(seed);
  const size_t count = 1 + random.next64() % (seed % 5 == 0 ? 70 : 3000);
  const uint64_t spread = uint64_t{1} << (random.next64() % 16), slack = uint64_t{1} << (random.next64() % 18);
  Case one{Scores(count), Scores(count), Rational(1, static_cast<unsigned long>(1 + random.next64() % 400)),
           random.next64() % 2 == 0};
  if (seed % 11 == 0) one.unit = 0;
  for (size_t i = 0; i < count; ++i) {
    one.values[i] = static_cast<int64_t>(random.next64() % spread);
    one.upper[i] = one.values[i] + static_cast<int64_t>(random.next64() % slack);
  }
  return one;
}

// Golden: the draws themselves never change, since seeded models depend on them.
TEST(LazyParts, AnyCutGivesTheSameDrawAndLeavesTheSameRandomness) {
  DigestStream digest;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Case one = some_case(seed);
    std::optional<LazyDraw> first;
    uint64_t next = 0;
    for (const size_t parts : {1u, 2u, 3u, 7u, 64u}) {
      CutValues cut(one.values, one.upper, even_cuts(one.values.size(), parts), one.unit, one.can_tighten);
      SeededRandom random(1000 + seed);
      const LazyDraw draw = cut.draw(random, one.unit);
      if (!first) {
        first = draw;
        next = random.next64();
        const uint64_t row[] = {draw.index, draw.evaluated, next};
        digest.add(std::as_bytes(std::span(row)));
        continue;
      }
      EXPECT_EQ(draw.index, first->index) << seed << " " << parts;
      EXPECT_EQ(draw.evaluated, first->evaluated) << seed << " " << parts;
      EXPECT_EQ(random.next64(), next) << seed << " " << parts;
    }
  }
  EXPECT_EQ(to_hex(digest.finish()), "2cd255374d6d9c844e109e6f76e375c91d66854a8fabb2718c92d387d93f1adc");
}

// The same values with those left out that cannot count: below the first bounds that are told, and negligible beside
// any value that they can have.
struct WithoutTheNegligible {
  explicit WithoutTheNegligible(const Case& one) {
    const auto gap = ExpWeights(one.unit).negligible_gap();
    Scores order = one.upper;
    std::ranges::sort(order, std::greater<>());
    int64_t slack = 0;
    for (size_t i = 0; i < order.size(); ++i) slack = std::max(slack, one.upper[i] - one.values[i]);
    if (gap && order.size() > kFirstLargest) {
      rest = std::min(order[kFirstLargest] - 1, order.front() - slack - static_cast<int64_t>(*gap));
    }
    for (uint32_t i = 0; i < one.upper.size(); ++i) {
      if (one.upper[i] <= rest) continue;
      indices.push_back(i);
      upper.push_back(one.upper[i]);
    }
  }

  std::vector<uint32_t> indices;
  Scores upper;
  int64_t rest = -1;
};

BoundedValues values_of(const Case& one, WithoutTheNegligible& some) {
  return {some.upper,
          [&one](std::span<const uint32_t> indices, std::span<int64_t> out) {
            for (size_t j = 0; j < out.size(); ++j) out[j] = one.values[indices[j]];
          },
          {},
          BoundedValues::Some{some.indices, one.values.size(), some.rest}};
}

TEST(LazyParts, LeavingOutWhatCannotCountChangesNoDraw) {
  size_t left_out = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Case one = some_case(seed);
    one.can_tighten = false;
    if (one.unit > 0) one.unit *= 20;
    CutValues all(one.values, one.upper, {0, one.values.size()}, one.unit, false);
    SeededRandom first(seed), second(seed);
    const LazyDraw expected = all.draw(first, one.unit);
    WithoutTheNegligible some(one);
    left_out += one.upper.size() - some.upper.size();
    const LazyDraw draw = lazy_categorical_exp(second, values_of(one, some), one.unit);
    EXPECT_EQ(draw.index, expected.index) << seed;
    EXPECT_EQ(draw.evaluated, expected.evaluated) << seed;
    EXPECT_EQ(second.next64(), first.next64()) << seed;
  }
  EXPECT_GT(left_out, 50000u);
}

// Candidates of the smallest weight are proposed about once in 2^60 draws; asked for by hand here.
TEST(LazyParts, WhatWasLeftOutCanBeProposed) {
  const Case one{Scores(1000), Scores(1000), 1, false};
  Case high = one;
  for (size_t i = 0; i < 1000; ++i) high.upper[i] = high.values[i] = i % 10 == 3 ? 5000 : static_cast<int64_t>(i % 7);
  WithoutTheNegligible some(high);
  ASSERT_EQ(some.upper.size(), 100u);
  LazyPart part(values_of(high, some), high.unit);
  const auto weighed = std::get<SayWeighed>(part.answer(AskWeigh{5000, 5000}));
  EXPECT_EQ(weighed.near, 100u);
  AskPlaces others;
  for (unsigned i = 0; i < 900; ++i) others.places.push_back(weighed.total + i);
  const auto said = std::get<SayPlaces>(part.answer(others));
  EXPECT_EQ(said.evaluated, 900u);
  uint64_t index = 0;
  for (const auto& proposed : said.proposed) {
    if (index % 10 == 3) ++index;
    EXPECT_EQ(proposed.index, index++);
    EXPECT_EQ(proposed.weight, ExpWeights::kSmallest);
    EXPECT_EQ(proposed.value, high.values[proposed.index]);
  }
}

TEST(LazyParts, LeavingOutWhatCountsIsRefused) {
  Case one{Scores(1000), Scores(1000), Rational(1, 2), false};
  std::iota(one.values.begin(), one.values.end(), 0);
  one.upper = one.values;
  SeededRandom random(1);
  const auto leave_out_up_to = [&](int64_t rest) {
    WithoutTheNegligible some(one);
    some.rest = rest;
    some.indices.clear();
    for (int64_t i = rest + 1; i < 1000; ++i) some.indices.push_back(static_cast<uint32_t>(i));
    some.upper.assign(one.upper.begin() + rest + 1, one.upper.end());
    lazy_categorical_exp(random, values_of(one, some), one.unit);
  };
  const int64_t negligible = WithoutTheNegligible(one).rest;
  ASSERT_LT(negligible, 930);
  leave_out_up_to(negligible);
  expect_error<Error>([&] { leave_out_up_to(negligible + 1); }, {"that counts was left out"});
  expect_error<Error>([&] { leave_out_up_to(934); }, {"that counts was left out"});
  expect_error<Error>([&] { leave_out_up_to(935); }, {"of a large bound was left out"});
}

// n = 100,000 draws over 7 uneven parts, two of them empty, α = 1e-6; twice the unit is seen.
TEST(LazyParts, HaveTheLawOfEnumeration) {
  const size_t count = 300;
  Scores values(count), upper(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = static_cast<int64_t>(i * 37 % 100);
    upper[i] = values[i] + static_cast<int64_t>(i * 13 % 20);
  }
  const Rational unit(1, 25);
  SeededRandom random(5);
  const auto counts = testing::count_draws(100000, count, [&] {
    CutValues cut(values, upper, {0, 0, 3, 100, 101, 250, 300, 300}, unit, false);
    return cut.draw(random, unit).index;
  });
  EXPECT_GT(testing::chi_square_p_value(counts, testing::exponential_law(values, 1, 25)), testing::kAlpha);
  EXPECT_LT(testing::chi_square_p_value(counts, testing::exponential_law(values, 2, 25)), testing::kAlpha);
}

// A part that is lost and asked everything again says the same, at every step; the draw never notices.
TEST(LazyParts, AreMadeAgainByAskingAgain) {
  size_t rebuilt = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Case one = some_case(seed);
    const auto cuts = even_cuts(one.values.size(), 3);
    const auto run = [&](bool lose) {
      CutValues cut(one.values, one.upper, cuts, one.unit, one.can_tighten);
      SeededRandom random(seed);
      LazyCategorical draw(random, cut.sizes(), one.unit, one.can_tighten);
      std::vector<LazyCategorical::PartQuestion> asked;
      while (!draw.is_drawn()) {
        std::vector<LazyAnswer> answers;
        if (lose) {
          // All parts anew, and all questions so far again.
          CutValues fresh(one.values, one.upper, cuts, one.unit, one.can_tighten);
          for (const auto& old : asked) fresh.answer(old);
          for (const auto& question : draw.questions()) answers.push_back(fresh.answer(question));
          ++rebuilt;
        } else {
          for (const auto& question : draw.questions()) answers.push_back(cut.answer(question));
        }
        asked.insert(asked.end(), draw.questions().begin(), draw.questions().end());
        draw.take(answers);
      }
      return std::pair(draw.drawn().index, random.next64());
    };
    EXPECT_EQ(run(true), run(false)) << seed;
  }
  EXPECT_GT(rebuilt, 200u);
}

// What the proof forbids. A part that is lost the more often, the more of its candidates are proposed: asked again, it
// changes nothing; with a draw that starts over instead, its candidates are chosen less often. n = 50,000, α = 1e-6.
TEST(LazyParts, ASecondDrawWherePartsAreLostHasAnotherLaw) {
  const Scores values{10, 12, 11, 9, 13, 10};
  const Rational unit(1, 4);
  for (const bool draw_again : {false, true}) {
    SeededRandom random(9), losses(10);
    const auto counts = testing::count_draws(50000, values.size(), [&] {
      while (true) {
        CutValues cut(values, values, {0, 3, 6}, unit, false);
        LazyCategorical draw(random, cut.sizes(), unit, false);
        bool lost = false;
        while (!draw.is_drawn() && !lost) {
          std::vector<LazyAnswer> answers;
          for (const auto& asked : draw.questions()) {
            const auto* proposed = std::get_if<AskPlaces>(&asked.question);
            const bool fails = asked.part == 1 && proposed && losses.next64() % 16 < proposed->places.size();
            lost = lost || (fails && draw_again);
            answers.push_back(cut.answer(asked));
          }
          if (!lost) draw.take(answers);
        }
        if (!lost) return draw.drawn().index;
      }
    });
    const double p = testing::chi_square_p_value(counts, testing::exponential_law(values, 1, 4));
    if (draw_again) {
      EXPECT_LT(p, testing::kAlpha);
    } else {
      EXPECT_GT(p, testing::kAlpha);
    }
  }
}

// What a draw asks for: values, and places of proposals.
struct Asked {
  size_t evaluated = 0, places = 0;
};
Asked asked_for(int64_t slack, size_t count) {
  const Scores values(count, 0), upper(count, slack);
  CutValues cut(values, upper, {0, count}, 1, false);
  SeededRandom random(3);
  LazyCategorical draw(random, cut.sizes(), 1, false);
  Asked result;
  while (!draw.is_drawn()) {
    std::vector<LazyAnswer> answers;
    for (const auto& asked : draw.questions()) {
      if (const auto* proposed = std::get_if<AskPlaces>(&asked.question)) result.places += proposed->places.size();
      answers.push_back(cut.answer(asked));
    }
    draw.take(answers);
  }
  result.evaluated = draw.drawn().evaluated;
  return result;
}

TEST(LazyParts, ProposalsGoOnWhereThereIsHope) {
  // One in exp(5) is accepted, whichever it is: proposals end it, and values are of no use.
  EXPECT_LT(asked_for(5, 50000).evaluated, 2000u);
  // One in exp(30), and what is known has no weight beside the rest: only values end it.
  const Asked hopeless = asked_for(30, 50000);
  EXPECT_EQ(hopeless.evaluated, 50000u);
  EXPECT_LT(hopeless.places, 16u * 12);
}

TEST(LazyParts, AnswersThatNoPartGivesAreRefused) {
  SeededRandom random(1);
  LazyCategorical draw(random, {5, 5}, 1, false);
  ASSERT_EQ(draw.questions().size(), 2u);
  const LazyAnswer good = SayLargest{{9, 5, 5, 1, 0}};
  expect_error<Error>([&] { draw.take(std::vector<LazyAnswer>{good}); }, {"not every question"});
  const auto refused = [&](const LazyAnswer& bad) {
    LazyCategorical again(random, {5, 5}, 1, false);
    expect_error<Error>([&] { again.take(std::vector<LazyAnswer>{good, bad}); }, {"no part gives"});
  };
  refused(SayWeighed{1, 1});
  refused(SayLargest{{1, 2}});
  refused(SayLargest{std::vector<int64_t>(65, 0)});
  draw.take(std::vector<LazyAnswer>{good, good});
  ASSERT_EQ(draw.questions().size(), 2u);
  LazyCategorical other = draw;
  // A value above its bound.
  expect_error<Error>(
      [&] {
        other.take(std::vector<LazyAnswer>{SayEvaluated{2, 10}, SayEvaluated{2, 3}});
      },
      {"no part gives"});
  draw.take(std::vector<LazyAnswer>{SayEvaluated{5, 9}, SayEvaluated{5, 3}});
  const auto weights = [&](const SayWeighed& said) {
    LazyCategorical again = draw;
    again.take(std::vector<LazyAnswer>{said, SayWeighed{0, 0}});
  };
  expect_error<Error>([&] { weights({6, 6}); }, {"no part gives"});                 // more than there are
  expect_error<Error>([&] { weights({1, uint128{1} << 64}); }, {"no part gives"});  // more than one can weigh
  expect_error<Error>([&] { weights({1, 9, 10}); }, {"no part gives"});             // more known than there is
  draw.take(std::vector<LazyAnswer>{SayWeighed{1, uint128{1} << 62}, SayWeighed{0, 0}});
  ASSERT_EQ(draw.questions().size(), 1u);
  const size_t places = std::get<AskPlaces>(draw.questions()[0].question).places.size();
  const auto proposes = [&](SayPlaces::Proposed one, size_t count) {
    LazyCategorical again = draw;
    again.take(std::vector<LazyAnswer>{SayPlaces{std::vector(count, one), 0}});
  };
  const uint64_t full = uint64_t{1} << 62;
  expect_error<Error>([&] { proposes({0, full, 9}, places - 1); }, {"no part gives"});
  expect_error<Error>([&] { proposes({5, full, 9}, places); }, {"no part gives"});      // no such candidate
  expect_error<Error>([&] { proposes({0, full, 10}, places); }, {"no part gives"});     // above the largest
  expect_error<Error>([&] { proposes({0, full / 2, 9}, places); }, {"no part gives"});  // lighter than its value
  proposes({0, full, 9}, places);
}

TEST(LazyParts, RefuseWhatIsNeverAsked) {
  CutValues cut(Scores{1, 2, 3}, Scores{1, 2, 3}, {0, 3}, 1, false);
  const auto ask = [&](const LazyQuestion& question) { cut.answer({0, question}); };
  ask(AskLargest{1});
  expect_error<Error>([&] { ask(AskEvaluate{3}); }, {"not told so many"});
  expect_error<Error>([&] { ask(AskEvaluate{0}); }, {"not told so many"});
  expect_error<Error>([&] { ask(AskPlaces{{0}}); }, {"before its weights"});
  expect_error<Error>([&] { ask(AskLargest{1, 3}); }, {"cannot be tightened"});
  expect_error<Error>([&] { ask(AskWeigh{0, 2}); }, {"above the largest"});
  const uint128 total = std::get<SayWeighed>(cut.answer({0, AskWeigh{3, 3}})).total;
  ask(AskPlaces{{total - 1}});
  // All three are near, so there is nothing beyond their weights.
  expect_error<Error>([&] { ask(AskPlaces{{total}}); }, {"no such place"});
  expect_error<Error>([&] { ask(AskPlaces{{uint128{1} << 100}}); }, {"no such place"});
}

}  // namespace
}  // namespace dppl
