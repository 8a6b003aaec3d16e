#include "support/exact_coin.h"

#include "random/chacha_stream.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "numbers/integers.h"
#include "numbers/interval.h"

namespace dppl::testing {
namespace {

// Words that a test chooses, first to last.
class ScriptedRandom : public Random {
 public:
  explicit ScriptedRandom(const std::vector<uint64_t>& words)
      : ScriptedRandom(words, std::make_shared<ChaChaStream>()) {}

  // Whether more words were drawn than there are.
  bool exhausted() const { return stream_.next < begin_; }
  size_t drawn() const { return static_cast<size_t>(stream_.next - begin_); }

 private:
  ScriptedRandom(const std::vector<uint64_t>& words, const std::shared_ptr<ChaChaStream>& stream)
      : Random(stream), stream_(*stream), begin_(stream->buffer + ChaChaStream::kWords - words.size()) {
    std::copy(words.begin(), words.end(), stream->buffer + ChaChaStream::kWords - words.size());
    stream->next = begin_;
    stream->end = stream->buffer + ChaChaStream::kWords;
  }

  const ChaChaStream& stream_;
  const uint64_t* const begin_;
};

enum class Answer { yes, no, undecided };

Answer answer(const Coin& coin, const std::vector<uint64_t>& words) {
  ScriptedRandom random(words);
  const bool yes = coin(random);
  if (random.exhausted()) return Answer::undecided;
  return yes ? Answer::yes : Answer::no;
}

// The smallest word of 64 bits for which `holds` (which then holds for all above it); 2^64 when for none.
template <typename Holds>
mpz_class first_word(Holds holds) {
  mpz_class low = 0, high = mpz_class(1) << 64;
  while (low < high) {
    const mpz_class middle = (low + high) / 2;
    if (holds(uint64_t{middle.get_ui()})) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

// `passing` of the 2^64 first words (all, where the coin looks at none) lead on; the next word says yes below `yes`, no
// from `no` on, and in between the rest of the digits are compared with a number E exactly. So the probability is
// passing·E/2^128, if yes <= E <= no; and E must be 2^128·exp(−γ)/passing.
void expect_exact(const Coin& coin, const Rational& gamma) {
  const mpz_class all = mpz_class(1) << 64;
  ScriptedRandom look({0, 0});
  coin(look);
  const bool has_gate = look.exhausted() || look.drawn() == 2;
  mpz_class passing = all;
  if (has_gate) {
    passing = first_word([&](uint64_t word) {
      ScriptedRandom random({word, 0});
      coin(random);
      return !random.exhausted() && random.drawn() == 1;
    });
  }
  const auto then = [&](const std::vector<uint64_t>& words) {
    std::vector<uint64_t> script(has_gate ? 1 : 0);
    script.insert(script.end(), words.begin(), words.end());
    return answer(coin, script);
  };
  const mpz_class yes = first_word([&](uint64_t word) { return then({word}) != Answer::yes; });
  const mpz_class no = first_word([&](uint64_t word) { return then({word}) == Answer::no; });
  const Interval scaled = scale2(exp(-Interval(gamma, 512)), 128) / Interval(Rational(passing), 512);
  const Rational low = scaled.lower_rational(), high = scaled.upper_rational();
  const std::string told = fmt::format("exp(-{}), {:.20f} of a bit", to_string(gamma), gamma.get_d() / std::log(2.0));
  EXPECT_LE(high, Rational(all)) << told << ": more words would have to pass";
  EXPECT_LE(Rational(yes), low) << told;
  EXPECT_LE(high, Rational(no)) << told;
  // The exact comparison, next to where it turns.
  const mpz_class turn = floor(low);
  if (turn >= all || turn != floor(high) || Rational(turn) == low) return;
  if (turn < yes || turn >= no) return;
  for (const bool above : {false, true}) {
    std::vector<uint64_t> digits(40, above ? ~uint64_t{0} : 0);  // enough for whatever lies next to an integer
    digits[0] = turn.get_ui();
    EXPECT_EQ(then(digits), above ? Answer::no : Answer::yes) << told;
  }
}

std::pair<Rational, Rational> around_integer(long k, unsigned long bits) {
  const Interval scaled = scale2(Interval(k, 1024) * log(Interval(2L, 1024)), static_cast<long>(bits));
  const mpz_class below = floor(scaled.lower_rational());
  const mpz_class scale = mpz_class(1) << bits;
  return {Rational(below) / Rational(scale), Rational(below + 1) / Rational(scale)};
}

}  // namespace dppl::testing
