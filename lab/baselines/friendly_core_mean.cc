#include <algorithm>
#include <cmath>

#include "kernels/gemm.h"
#include "kernels/row_math.h"
#include "lab/baselines/means.h"
#include "lab/baselines/methods.h"
#include "lab/constants.h"

// FriendlyCore averaging (Tsfadia et al. 2022) for each class, add/remove. Two rows are friends at a distance of at
// most `radius`; rows that are friends with more than half of the class, by a noisy margin, are the core; any two of
// them share a friend, so the core has diameter 2·radius and its mean needs little noise. (ρ, δ)-approximate zCDP, see
// proof.md. A class for which a noisy count or the margin leaves nothing gets the zero vector.
namespace dppl {
namespace {

// For each row of the class: how many rows, itself among them, are within the radius.
std::vector<double> count_friends(std::span<const float> rows, size_t dim, double radius) {
  const size_t count = rows.size() / dim;
  std::vector<double> squares(count), friends(count);
  for (size_t i = 0; i < count; ++i) squares[i] = sum_of_squares(rows.data() + i * dim, dim);
  std::vector<float> dots(std::min(kComparedRows, count) * count);
  for (size_t begin = 0; begin < count; begin += kComparedRows) {
    const size_t here = std::min(kComparedRows, count - begin);
    multiply_rows(rows.data() + begin * dim, here, dim, rows.data(), count, dots.data());
    for (size_t i = begin; i < begin + here; ++i) {
      for (size_t j = 0; j < count; ++j) {
        const double apart = squares[i] + squares[j] - 2 * static_cast<double>(dots[(i - begin) * count + j]);
        friends[i] += i == j || apart <= radius * radius ? 1 : 0;
      }
    }
  }
  return friends;
}

// Noise and the distance that it exceeds, upwards, with probability at most delta.
struct Margin {
  double sigma, width;
  Margin(double noise, double delta) : sigma(noise), width(noise * std::sqrt(2 * std::log(1 / delta))) {}
};

class Core {
 public:
  Core(const BaselineInput& input, Account& account)
      : radius_(input.settings.at("radius")), delta_(input.settings.at("delta") / 3) {
    const double counts = input.settings.at("count_share"), filter = input.settings.at("filter_share");
    count_sigma_ = account.gaussian(counts / 2, 1);
    core_count_sigma_ = account.gaussian(counts / 2, 1);
    filter_sigma_ = account.gaussian(filter * (1 - counts), 0.5);  // times the root of the number of rows
    mean_sigma_ = account.gaussian((1 - filter) * (1 - counts), std::min(2 * radius_, 2.0));
  }

  // False: nothing is left.
  bool mean(std::span<const float> rows, size_t dim, Random& random, std::span<double> out) const {
    Normals normals(random);
    const std::vector<float> core = filter(rows, dim, normals);
    const Margin margin(core_count_sigma_, delta_);
    const double n = static_cast<double>(core.size() / dim);
    const double at_most = n + margin.sigma * normals.next() - (margin.sigma > 0 ? margin.width + 1 : 0);
    if (at_most <= 0 || core.empty()) return false;
    const std::vector<double> exact = mean_row(core, dim);
    for (size_t k = 0; k < dim; ++k) out[k] = exact[k] + mean_sigma_ / at_most * normals.next();
    return true;
  }

 private:
  std::vector<float> filter(std::span<const float> rows, size_t dim, Normals& normals) const {
    const size_t count = rows.size() / dim;
    const Margin of_count(count_sigma_, delta_);
    const double n = static_cast<double>(count);
    const double at_least = n + of_count.sigma * normals.next() + of_count.width + 1;
    if (at_least <= 0) return {};
    const Margin margin(filter_sigma_ * std::sqrt(at_least), delta_ / std::max(at_least, 1.0));
    const std::vector<double> friends = count_friends(rows, dim, radius_);
    std::vector<float> core;
    for (size_t i = 0; i < count; ++i) {
      if (friends[i] - n / 2 + margin.sigma * normals.next() > margin.width) {
        core.insert(core.end(), rows.begin() + static_cast<std::ptrdiff_t>(i * dim),
                    rows.begin() + static_cast<std::ptrdiff_t>((i + 1) * dim));
      }
    }
    return core;
  }

  double radius_, delta_, count_sigma_, core_count_sigma_, filter_sigma_, mean_sigma_;
};

BaselineResult train(const BaselineInput& input, SeededRandom& random) {
  const GroupedRows rows = group_by_class(input.train);
  Account account(input.rho);
  const Core core(input, account);
  std::vector<char> found(rows.classes());
  BaselineResult result;
  result.classifier = prototypes_by_class(input, random, [&](size_t c, Random& stream, std::span<double> prototype) {
    found[c] = core.mean(rows.of(c), rows.dim, stream, prototype) ? 1 : 0;
  });
  result.trace["classes"] = {static_cast<double>(std::count(found.begin(), found.end(), 1))};
  result.rho_spent = account.spent();
  return result;
}

}  // namespace

Baseline friendly_core_mean() {
  return {"friendly-core-mean",
          "nearest noisy mean of the rows near most of their class; add/remove, but approximate zCDP with a delta",
          true,
          {{"radius", 1.4}, {"delta", 1e-5}, {"count_share", 0.1}, {"filter_share", 0.3}},
          train};
}

}  // namespace dppl
