#include "support/checks.h"

#include <cmath>

#include "random/uniform.h"
#include "support/statistics.h"

namespace dppl::testing {

bool uniform_is_unbiased(const std::function<uint64_t(uint64_t)>& draw) {
  const uint64_t n = uint64_t{3} << 62;
  const auto counts = count_draws(300000, 3, [&] { return static_cast<size_t>(draw(n) / (n / 3)); });
  return chi_square_p_value(counts, std::vector<double>(3, 1.0 / 3)) > kAlpha;
}

bool low_digits_are_random(const std::function<int64_t()>& draw) {
  const auto counts = count_draws(200000, 8, [&] { return static_cast<size_t>(draw() & 7); });
  return chi_square_p_value(counts, std::vector<double>(8, 0.125)) > kAlpha;
}

bool is_discrete_gaussian(const std::function<int64_t()>& draw, double sigma, int64_t centre) {
  const Cells cells = make_cells(static_cast<int64_t>(12 * sigma) + 12, 40, [=](int64_t x) {
    const auto y = static_cast<long double>(x);
    return std::exp(-y * y / (2.0L * sigma * sigma));
  });
  return p_value(cells, 200000, [&] { return draw() - centre; }) > kAlpha;
}

bool is_independent(const std::function<std::pair<int64_t, int64_t>()>& draw) {
  constexpr uint64_t n = 200000;
  std::vector<std::pair<int64_t, int64_t>> pairs(n);
  for (auto& pair : pairs) pair = draw();
  const auto side = [](int64_t x) { return x < 0 ? size_t{0} : x == 0 ? size_t{1} : size_t{2}; };
  std::vector<double> first(3), second(3);
  std::vector<uint64_t> counts(9);
  for (const auto& [a, b] : pairs) {
    first[side(a)] += 1.0 / n;
    second[side(b)] += 1.0 / n;
    ++counts[3 * side(a) + side(b)];
  }
  std::vector<double> expected(9);
  for (size_t i = 0; i < 9; ++i) expected[i] = first[i / 3] * second[i % 3];
  return chi_square_p_value(counts, expected) > kAlpha;  // margins are estimated: conservative
}

bool has_law(const Selector& select, const Law& law, size_t candidates) {
  // A spread, one with ties, and one with a clear winner.
  const std::vector<Scores> vectors{{0, 3, 7, 4, 9, 5}, {5, 5, 0, 5, 2, 0}, {1, 0, 40, 2, 0, 3}};
  const Rational epsilon(3, 4);
  for (Scores scores : vectors) {
    scores.resize(candidates);
    const Distribution expected = law(scores, epsilon.get_d(), 3);
    const auto counts = count_draws(100000, expected.size(), [&] { return select(scores, epsilon, 3); });
    if (chi_square_p_value(counts, expected) <= kAlpha / static_cast<double>(vectors.size())) return false;
  }
  return true;
}

bool law_is_private(const Law& law) {
  constexpr int64_t per_record = 2;
  SeededRandom random(99);
  for (int i = 0; i < 300; ++i) {
    Scores scores(5);
    const uint64_t range = i % 3 == 0 ? 4 : i % 3 == 1 ? 12 : 60;
    for (int64_t& score : scores) score = static_cast<int64_t>(uniform_below(random, range));
    const double epsilon = std::vector<double>{0.1, 0.5, 1, 2}[static_cast<size_t>(i % 4)];
    if (worst_log_ratio(law, scores, epsilon, per_record) > epsilon + 1e-9) return false;
  }
  return true;
}

}  // namespace dppl::testing
