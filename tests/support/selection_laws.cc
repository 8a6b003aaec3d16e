#include "support/selection_laws.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dppl::testing {
namespace {

Distribution normalised(Distribution weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= total;
  return weights;
}

double relative_weight(const Scores& scores, size_t i, double epsilon, int64_t per_record) {
  const int64_t largest = *std::max_element(scores.begin(), scores.end());
  return std::exp(epsilon * static_cast<double>(scores[i] - largest) / static_cast<double>(per_record));
}

// Integrates a polynomial (coefficients from the constant up) over [0, 1].
double integral(const std::vector<double>& polynomial) {
  double sum = 0;
  for (size_t i = 0; i < polynomial.size(); ++i) sum += polynomial[i] / static_cast<double>(i + 1);
  return sum;
}

// Ranks from best (0): by falling score, then by index.
std::vector<size_t> ranks_of(const Scores& scores) {
  std::vector<size_t> order(scores.size()), rank(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  for (size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  return rank;
}

}  // namespace

Distribution exponential_law(const Scores& scores, double epsilon, int64_t per_record) {
  Distribution weights(scores.size());
  for (size_t i = 0; i < scores.size(); ++i) weights[i] = relative_weight(scores, i, epsilon, per_record);
  return normalised(weights);
}

// With uniform arrival times: candidate i arriving at t is the output iff its coin succeeds and no other with a
// successful coin came before: w_i·∫ Π_{j≠i} (1 − t·w_j) dt.
Distribution permute_and_flip_law(const Scores& scores, double epsilon, int64_t per_record) {
  Distribution result(scores.size());
  for (size_t i = 0; i < scores.size(); ++i) {
    std::vector<double> polynomial{1};
    for (size_t j = 0; j < scores.size(); ++j) {
      if (j == i) continue;
      polynomial.push_back(0);
      const double w = relative_weight(scores, j, epsilon, per_record);
      for (size_t d = polynomial.size() - 1; d > 0; --d) polynomial[d] -= w * polynomial[d - 1];
    }
    result[i] = relative_weight(scores, i, epsilon, per_record) * integral(polynomial);
  }
  return result;
}

Distribution laplace_max_law(const Scores& scores, double epsilon, int64_t per_record) {
  const double q = std::exp(-epsilon / static_cast<double>(per_record));
  const auto [smallest, largest] = std::minmax_element(scores.begin(), scores.end());
  const int64_t gap = *largest - *smallest + 1;
  // Noise beyond this adds less than e^-45 of any output's probability, the rarest included.
  const auto reach = gap + static_cast<int64_t>(45.0 * static_cast<double>(per_record) / epsilon);
  std::vector<double> at_most(static_cast<size_t>(2 * (reach + gap) + 1));  // of noise −reach − gap …
  const auto index = [&](int64_t z) { return static_cast<size_t>(z + reach + gap); };
  for (int64_t z = -reach - gap; z <= reach + gap; ++z) {
    at_most[index(z)] =
        z < 0 ? std::pow(q, static_cast<double>(-z)) / (1 + q) : 1 - std::pow(q, static_cast<double>(z + 1)) / (1 + q);
  }
  Distribution result(scores.size());
  for (int64_t z = -reach; z <= reach; ++z) {
    const double noise = at_most[index(z)] - at_most[index(z - 1)];
    const double exact_noise =
        z > 0 ? at_most[index(-z)] - at_most[index(-z - 1)] : noise;  // no cancellation in the right tail
    for (size_t i = 0; i < scores.size(); ++i) {
      double probability = exact_noise;
      for (size_t j = 0; j < scores.size(); ++j) {
        if (j != i) probability *= at_most[index(scores[i] + z - scores[j] - (j < i ? 1 : 0))];
      }
      result[i] += probability;
    }
  }
  return normalised(result);
}

std::vector<std::vector<size_t>> subsets(size_t n, size_t k) {
  std::vector<std::vector<size_t>> all;
  std::vector<size_t> current(k);
  std::iota(current.begin(), current.end(), size_t{0});
  while (true) {
    all.push_back(current);
    size_t i = k;
    while (i > 0 && current[i - 1] == n - k + i - 1) --i;
    if (i == 0) return all;
    ++current[i - 1];
    std::iota(current.begin() + static_cast<std::ptrdiff_t>(i), current.end(), current[i - 1] + 1);
  }
}

Law joint_top_k_law(size_t k) {
  return [k](const Scores& scores, double epsilon, int64_t per_record) {
    Distribution weights;
    for (const auto& set : subsets(scores.size(), k)) {
      const size_t worst =
          *std::min_element(set.begin(), set.end(), [&](size_t a, size_t b) { return scores[a] < scores[b]; });
      weights.push_back(relative_weight(scores, worst, epsilon, per_record));
    }
    return normalised(weights);
  };
}

double choose(size_t n, size_t k) {
  double result = 1;
  for (size_t i = 0; i < k; ++i) result *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  return n < k ? 0 : result;
}

Law ranked_top_k_law(size_t k, std::function<double(size_t y, size_t k)> sets) {
  return [k, sets](const Scores& scores, double epsilon, int64_t per_record) {
    const std::vector<size_t> rank = ranks_of(scores);
    Distribution weights;
    for (const auto& set : subsets(scores.size(), k)) {
      const size_t worst =
          *std::max_element(set.begin(), set.end(), [&](size_t a, size_t b) { return rank[a] < rank[b]; });
      const size_t y = rank[worst] + 1;
      weights.push_back(sets(y, k) * relative_weight(scores, worst, epsilon, per_record) / choose(y - 1, k - 1));
    }
    return normalised(weights);
  };
}

double worst_log_ratio(const Law& law, const Scores& scores, double epsilon, int64_t per_record) {
  const Distribution before = law(scores, epsilon, per_record);
  double worst = 0;
  Scores added(scores.size(), 0);
  while (true) {
    Scores neighbour = scores;
    for (size_t i = 0; i < scores.size(); ++i) neighbour[i] += added[i];
    const Distribution after = law(neighbour, epsilon, per_record);
    for (size_t i = 0; i < before.size(); ++i) {
      if (before[i] == 0 && after[i] == 0) continue;
      worst = std::max(worst, std::abs(std::log(after[i] / before[i])));
    }
    size_t digit = 0;
    while (digit < added.size() && added[digit] == per_record) added[digit++] = 0;
    if (digit == added.size()) return worst;
    ++added[digit];
  }
}

}  // namespace dppl::testing
