#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>

#include "audit/constants.h"
#include "audit/fits.h"
#include "audit/likelihood.h"
#include "dppl/fit.h"
#include "random/discrete_gaussian.h"
#include "rows/integer_row.h"
#include "rows/small_rows.h"
#include "statistics/class_counts/class_counts.h"
#include "statistics/class_sums/class_sums.h"
#include "statistics/gradient_sum/gradient_sum.h"
#include "statistics/second_moment/second_moment.h"

// Each is a fit as one would write it with a single mistake. The statistics are those of the real fit wherever the
// mistake is not in them, and the noise comes from the real sampler.
namespace dppl {
namespace {

const Rational kRho(1, 2);

// Noise of the real sampler, for what is believed to be the norm.
std::vector<int64_t> noisy(std::vector<int64_t> values, const Rational& variance, Random& random) {
  const DiscreteGaussian noise(variance);
  for (int64_t& value : values) value += noise(random);
  return values;
}

// Two data sets and their exact statistics, without a pool.
struct Exact {
  explicit Exact(const Neighbours& neighbours)
      : data{neighbours.data(0), neighbours.data(1)},
        transform(PublicTransform::restore({}, neighbours.dim, {}, {})),
        access{PrivateAccess(data[0]), PrivateAccess(data[1])} {
    for (const size_t world : {0u, 1u}) {
      const Records records{access[world], neighbours.classes, transform};
      SmallRows& small = rows.emplace_back(records.size(), records.dim());
      sums[world] = class_sums(records, small).values;
      sizes[world] = class_counts(records.access, neighbours.classes).values;
    }
  }

  PrivateData data[2];
  PublicTransform transform;
  PrivateAccess access[2];
  std::deque<SmallRows> rows;
  std::vector<int64_t> sums[2], sizes[2];
};

Duel duel(const char* name, const Neighbours& neighbours, std::function<double(int world, Random& random)> simulate) {
  return {.name = std::string("planted: ") + name,
          .neighbours = neighbours.words,
          .measure = AuditMeasure::mu,
          .claim = 1,
          .simulate = std::move(simulate)};
}

// A statistic, released with a given variance.
Duel gaussian(const char* name, const Neighbours& neighbours, std::array<std::vector<int64_t>, 2> exact,
              const Rational& variance) {
  return duel(name, neighbours, [exact = std::move(exact), variance](int world, Random& random) {
    const auto released = noisy(exact[static_cast<size_t>(world)], variance, random);
    return gaussian_log_ratio(released, exact[0], exact[1], variance.get_d());
  });
}

Duel narrow_noise() {
  const Neighbours neighbours = at_the_rim(0);
  const Exact exact(neighbours);
  const Rational variance = gaussian_variance(kRadius * kRadius, kRho) * Rational(81, 100);
  return gaussian("noise of 0.9 σ", neighbours, {exact.sums[0], exact.sums[1]}, Rational(floor(variance)));
}

// The sums get three quarters of the budget and the counts three quarters, too.
Duel split_to_more_than_one() {
  const Neighbours neighbours = at_the_rim(0);
  const auto exact = std::make_shared<Exact>(neighbours);
  Duel result = duel("budget split to more than 1", neighbours, [exact](int world, Random& random) {
    const Rational rho = kRho * Rational(3, 4);
    const Rational wide = gaussian_variance(kRadius * kRadius, rho), narrow = gaussian_variance(1, rho);
    const auto w = static_cast<size_t>(world);
    return gaussian_log_ratio(noisy(exact->sums[w], wide, random), exact->sums[0], exact->sums[1], wide.get_d()) +
           gaussian_log_ratio(noisy(exact->sizes[w], narrow, random), exact->sizes[0], exact->sizes[1], narrow.get_d());
  });
  result.effort = 4;  // μ = 1.22 instead of 1: with few fits it could be missed
  return result;
}

// Sizes as they are, beside whatever else is released.
Duel stated_sizes(const char* name, const Neighbours& neighbours) {
  const auto exact = std::make_shared<Exact>(neighbours);
  return duel(name, neighbours,
              [exact](int world, Random&) { return static_cast<double>(exact->sizes[static_cast<size_t>(world)][0]); });
}

Duel sizes_without_noise() { return stated_sizes("sizes released without noise", at_the_rim(1)); }

// An estimator that takes class sizes for public, and states them beside its means, with a budget for add-remove.
Duel unpriced_settings() { return stated_sizes("settings that were not priced", at_the_rim(0)); }

// The paper's mean: noise that shrinks with the true number of records tells that number.
Duel count_as_n() {
  const Neighbours neighbours = at_the_rim(1);
  const auto exact = std::make_shared<Exact>(neighbours);
  return duel("noise divided by the true count", neighbours, [exact, dim = neighbours.dim](int world, Random& random) {
    const Rational variance = gaussian_variance(kRadius * kRadius, kRho);
    const auto w = static_cast<size_t>(world);
    const auto mean = [&](size_t which, int64_t value) {
      return static_cast<double>(value) / static_cast<double>(exact->sizes[which][0]);
    };
    const std::vector<int64_t> released = noisy(exact->sums[w], variance, random);
    double ratio = 0;
    for (size_t k = 0; k < dim; ++k) {
      const double value = mean(w, released[k]);
      const auto log_density = [&](size_t which) {
        const double sigma = mean(which, 1) * std::sqrt(variance.get_d());
        const double off = (value - mean(which, exact->sums[which][k])) / sigma;
        return -off * off / 2 - std::log(sigma);
      };
      ratio += log_density(1) - log_density(0);
    }
    return ratio;
  });
}

// Classes are those that the labels name: a new one shows.
Duel label_set_from_data() {
  const Neighbours neighbours = at_the_rim(0);
  return duel("label set from the data", neighbours, [neighbours](int world, Random& random) {
    std::vector<int64_t> names(neighbours.labels.begin(), neighbours.labels.end() - (world == 0 ? 1 : 0));
    std::vector<float> values(neighbours.values.begin(),
                              neighbours.values.begin() + static_cast<std::ptrdiff_t>(names.size() * neighbours.dim));
    std::vector<int64_t> labels = names;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (int64_t& label : labels) label = std::lower_bound(names.begin(), names.end(), label) - names.begin();
    const PrivateData data = PrivateData::from_memory(std::move(values), neighbours.dim, std::move(labels),
                                                      ClassSet::numbered(names.size()), 1);
    const FitOptions options{.settings = MeanSettings{}, .threads = 1};
    const Model model = fit(data, {}, options, Budget::unledgered(BudgetSpec::zcdp(kRho)), random);
    return static_cast<double>(model.classes.size());
  });
}

// Σ over i <= j of (q_i·q_j)² is (‖q‖⁴ + Σ q_i⁴)/2: half of ‖q‖⁴ only where the record has no leading coordinate.
Duel off_diagonal_once() {
  const Neighbours neighbours = at_the_rim(1);
  const Exact exact(neighbours);
  constexpr int64_t kNorm = kSmallRadius * kSmallRadius;
  return gaussian("second moment's off-diagonal counted once", neighbours,
                  {second_moment(exact.rows[0], exact.access[0], 1).values,
                   second_moment(exact.rows[1], exact.access[1], 1).values},
                  gaussian_variance(Rational(kNorm) * kNorm / 2, kRho));
}

// Σ (p − y)·xᵀ at weights along the axes, every class's part of p − y clipped by itself instead of all together.
std::vector<int64_t> gradient_by_class(const SmallRows& rows, std::span<const int64_t> labels, size_t classes) {
  constexpr float kWeight = 15, kClip = 0.5;
  const size_t dim = rows.dim();
  std::vector<int64_t> sum(classes * dim);
  std::vector<float> scores(classes), residual(classes);
  const std::vector<double> offsets(classes);
  for (size_t i = 0; i < rows.rows(); ++i) {
    const auto row = rows.row(i);
    for (size_t c = 0; c < classes; ++c) scores[c] = kWeight * static_cast<float>(row[c]) / kSmallRadius;
    softmax_residual(scores, offsets, static_cast<size_t>(labels[i]), residual);
    for (size_t c = 0; c < classes; ++c) {
      const auto part = static_cast<int64_t>(std::clamp(residual[c], -kClip, kClip) / kClip * kSmallRadius);
      for (size_t k = 0; k < dim; ++k) sum[c * dim + k] += part * row[k];
    }
  }
  return sum;
}

// Charged as if each class's records were in its own part alone.
Duel gradient_in_parallel() {
  const Neighbours neighbours = among_others();
  const Exact exact(neighbours);
  constexpr int64_t kNorm = kSmallRadius * kSmallRadius;
  const auto sum = [&](size_t world) {
    return gradient_by_class(exact.rows[world], exact.access[world].labels(), neighbours.classes);
  };
  return gaussian("gradient steps charged in parallel over classes", neighbours, {sum(0), sum(1)},
                  gaussian_variance(Rational(kNorm) * kNorm, kRho));
}

// ε = ρ + 2√(ρ·ln(1/(1 − δ))) is next to ρ, so that ρ = ε seems to be allowed.
Duel delta_on_the_wrong_side() {
  const Neighbours neighbours = at_the_rim(0);
  const Exact exact(neighbours);
  Duel result = gaussian("δ converted to the wrong side", neighbours, {exact.sums[0], exact.sums[1]},
                         gaussian_variance(kRadius * kRadius, 1));
  result.measure = AuditMeasure::epsilon;
  result.delta = kAuditDelta;
  return result;
}

}  // namespace

std::vector<Duel> planted_fits() {
  return {narrow_noise(),      split_to_more_than_one(), sizes_without_noise(),
          count_as_n(),        label_set_from_data(),    unpriced_settings(),
          off_diagonal_once(), gradient_in_parallel(),   delta_on_the_wrong_side()};
}

}  // namespace dppl
