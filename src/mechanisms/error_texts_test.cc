#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "dppl/error.h"
#include "dppl/mechanisms.h"
#include "numbers/integers.h"

namespace dppl {
namespace {

// A private number that a mechanism refuses must not stand in the refusal: errors are logged and mailed. These all hold
// the digits 73519.
constexpr int64_t kNegative = -73519;
constexpr int64_t kOutside = 4'611'686'018'427'735'19 * 10;  // above 2^62

TEST(ErrorTexts, HoldNoPrivateValue) {
  const auto pure = [] { return Budget::unledgered(BudgetSpec::pure(1)); };
  const auto zcdp = [] { return Budget::unledgered(BudgetSpec::zcdp(1)); };
  SecureRandom random;
  const std::vector<int64_t> outside{kOutside, 1}, negative{kNegative, 1};
  const std::vector<std::function<void()>> refused = {
      [&] { noisy_count(pure(), random, kNegative); },
      [&] {
        exponential(pure(), random, {outside, 1});
      },
      [&] {
        exponential(pure(), random, {negative, 1});
      },
      [&] {
        permute_and_flip(pure(), random, {negative, 1});
      },
      [&] {
        laplace_max(pure(), random, {outside, 1});
      },
      [&] {
        joint_top_k(pure(), random, {negative, 1}, 1);
      },
      [&] { add_noise(std::numeric_limits<int64_t>::max(), 0); },
      // Noise on a sum at the edge of 64 bits overflows in half of all draws.
      [&] {
        const std::vector<int64_t> sum(64, std::numeric_limits<int64_t>::max());
        noisy_sum(zcdp(), random, {sum, {int64_t{1} << 40}});
      },
  };
  for (size_t i = 0; i < refused.size(); ++i) {
    try {
      refused[i]();
      ADD_FAILURE() << "case " << i << " was accepted";
    } catch (const InvalidInput& error) {
      const std::string text = error.what();
      EXPECT_EQ(text.find("73519"), std::string::npos) << text;
      EXPECT_EQ(text.find("922337203685477"), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace dppl
