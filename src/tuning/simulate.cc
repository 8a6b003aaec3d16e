#include "tuning/simulate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "base/parallel.h"
#include "dppl/metrics.h"
#include "estimation/metric.h"
#include "estimation/pool_posterior.h"
#include "estimation/prototype_scaling.h"
#include "estimation/refinement.h"
#include "kernels/gemm.h"
#include "random/simulation.h"
#include "statistics/gradient_sum/gradient_sum.h"

namespace dppl {
namespace {

constexpr size_t kCandidates = 8192;  // of the rows that stand for the pool

// Class after class: Σ times·row.
std::vector<double> exact_sums(const PseudoClasses& classes, const PseudoClasses::Rows& rows, const PseudoData& data) {
  std::vector<double> sums(classes.classes() * rows.dim);
  for (size_t c = 0; c < classes.classes(); ++c) {
    for (const size_t i : classes.train(c)) {
      for (size_t k = 0; k < rows.dim; ++k) {
        sums[c * rows.dim + k] += data.times[i] * static_cast<double>(rows.train[i * rows.dim + k]);
      }
    }
  }
  return sums;
}

Eigen::MatrixXd exact_moment(const PseudoClasses::Rows& rows, const PseudoData& data) {
  using FloatRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto dim = static_cast<Eigen::Index>(rows.dim), count = static_cast<Eigen::Index>(data.times.size());
  FloatRows weighted = Eigen::Map<const FloatRows>(rows.train.data(), count, dim);
  for (Eigen::Index i = 0; i < count; ++i) {
    weighted.row(i) *= std::sqrt(static_cast<float>(data.times[static_cast<size_t>(i)]));
  }
  Eigen::MatrixXf gram = Eigen::MatrixXf::Zero(dim, dim);
  gram.selfadjointView<Eigen::Lower>().rankUpdate(weighted.transpose());
  const Eigen::MatrixXf whole = gram.selfadjointView<Eigen::Lower>();
  return whole.cast<double>();
}

NoisySecondMoment noisy_moment(const Eigen::MatrixXd& exact, double rho, Random& random) {
  NoisySecondMoment moment{exact, 1 / std::sqrt(2 * rho)};
  for (Eigen::Index i = 0; i < exact.rows(); ++i) {
    for (Eigen::Index j = i; j < exact.cols(); ++j) {
      moment.values(i, j) = moment.values(j, i) = exact(i, j) + moment.sigma * normal(random);
    }
  }
  return moment;
}

// The joint exponential mechanism for k candidates (mechanisms/joint_top_k) on float scores: a rank y with weight
// C(y − 1, k − 1)·exp(ε·u_(y)), then k − 1 of the better ones. k = 1: the exponential mechanism.
std::vector<size_t> choose(std::span<const double> scores, double epsilon, size_t k, Random& random) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  double best = -INFINITY;
  size_t worst = k - 1;
  for (size_t y = k - 1; y < order.size(); ++y) {
    const double sets =
        k == 1 ? 0 : std::lgamma(double(y) + 1) - std::lgamma(double(y - k) + 2) - std::lgamma(double(k));
    const double value = sets + epsilon * scores[order[y]] - std::log(-std::log(uniform(random)));
    if (value > best) {
      best = value;
      worst = y;
    }
  }
  std::vector<size_t> chosen = {order[worst]};
  for (size_t i = 0; i + 1 < k; ++i) {
    const size_t other = i + random.next64() % (worst - i);
    std::swap(order[i], order[other]);
    chosen.push_back(order[i]);
  }
  return chosen;
}

// The training rows that are in a data set, and their classes.
struct DrawnRows {
  size_t dim;
  std::vector<float> values, times;
  std::vector<size_t> labels;
};
DrawnRows drawn_rows(const PseudoClasses& classes, const PseudoClasses::Rows& rows, const PseudoData& data) {
  DrawnRows drawn{rows.dim, {}, {}, {}};
  for (size_t c = 0; c < classes.classes(); ++c) {
    for (const size_t i : classes.train(c)) {
      if (data.times[i] == 0) continue;
      const auto row = rows.train.begin() + static_cast<std::ptrdiff_t>(i * rows.dim);
      drawn.values.insert(drawn.values.end(), row, row + static_cast<std::ptrdiff_t>(rows.dim));
      drawn.times.push_back(static_cast<float>(data.times[i]));
      drawn.labels.push_back(c);
    }
  }
  return drawn;
}

// As GradientSums::at(), in floating point.
std::vector<double> gradient(const DrawnRows& drawn, const Refinement& at, unsigned threads) {
  constexpr size_t kBlock = 512;
  using FloatRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const size_t classes = at.classes(), blocks = (drawn.labels.size() + kBlock - 1) / kBlock;
  const std::vector<float> weights(at.weights().begin(), at.weights().end());
  const Eigen::RowVectorXf offsets =
      Eigen::Map<const Eigen::RowVectorXd>(at.offsets().data(), static_cast<Eigen::Index>(classes)).cast<float>();
  // One result a block, added in order: the same from any number of threads.
  std::vector<std::vector<float>> parts(blocks);
  parallel_blocks(drawn.labels.size(), kBlock, threads, [&](size_t begin, size_t end, unsigned) {
    const float* values = drawn.values.data() + begin * drawn.dim;
    FloatRows scores(static_cast<Eigen::Index>(end - begin), static_cast<Eigen::Index>(classes));
    multiply_rows(values, end - begin, drawn.dim, weights.data(), classes, scores.data());
    for (size_t i = begin; i < end; ++i) {
      auto row = scores.row(static_cast<Eigen::Index>(i - begin));
      row += offsets;
      row = (row.array() - row.maxCoeff()).exp();
      row /= row.sum();
      row[static_cast<Eigen::Index>(drawn.labels[i])] -= 1;
      const auto clip = static_cast<float>(kGradientClip);
      row *= drawn.times[i] * std::min(1.0f, clip / std::max(row.norm(), 1e-20f));
    }
    std::vector<float>& part = parts[begin / kBlock];
    part.resize(weights.size());
    multiply_columns(scores.data(), end - begin, classes, values, drawn.dim, part.data());
  });
  std::vector<double> sum(weights.size());
  for (const auto& part : parts) {
    for (size_t k = 0; k < part.size(); ++k) sum[k] += static_cast<double>(part[k]);
  }
  return sum;
}

const MeanSettings& mean_of(const Trial& trial) { return std::get<MeanSettings>(trial.settings); }

// How rows are chosen by selection, whichever of the two methods it is.
struct Choosing {
  double low, high;  // of the cosine
  size_t k;
};
Choosing choosing_of(const Trial& trial) {
  const auto* one = std::get_if<PublicSettings>(&trial.settings);
  const auto* many = std::get_if<PublicKSettings>(&trial.settings);
  const ScoreClip& clip = one != nullptr ? one->clip : many->clip;
  return {clip.min.get_d() - 1, clip.max.get_d() - 1, one != nullptr ? 1 : many->k};
}

void add(Trial& trial, const Accuracy& reached, const PseudoData& data) {
  trial.balanced += reached.balanced;
  if (data.long_tailed) trial.minority += reached.minority;
}

}  // namespace

PseudoData draw(const PseudoClasses& classes, uint64_t records, double ratio, uint64_t seed) {
  SeededRandom random(seed);
  PseudoData data{{}, std::vector<uint64_t>(classes.classes()), seed, ratio > 1};
  size_t rows = 0;
  for (size_t c = 0; c < classes.classes(); ++c) rows += classes.train(c).size();
  data.times.resize(rows);
  const std::vector<uint64_t> sizes = expected_sizes(records, classes.classes(), ratio);
  for (size_t c = 0; c < classes.classes(); ++c) {
    // The groups are in a random order; so are the sizes, and in another one for the next seed.
    data.sizes[c] = sizes[(c + 37 * seed) % sizes.size()];
    const auto train = classes.train(c);
    for (uint64_t i = 0; i < data.sizes[c]; ++i) ++data.times[train[random.next64() % train.size()]];
  }
  return data;
}

Accuracy test(const PseudoClasses& classes, const PseudoClasses::Rows& rows, std::span<const float> prototypes,
              size_t per_class, std::span<const uint64_t> sizes) {
  const size_t count = classes.classes(), tests = classes.test_rows(), all = count * per_class;
  std::vector<float> scores(tests * all);
  multiply_rows(rows.test.data(), tests, rows.dim, prototypes.data(), all, scores.data());
  std::vector<double> right(count), of_class(count);
  for (size_t i = 0; i < tests; ++i) {
    size_t best = 0;
    double highest = -INFINITY;
    for (size_t c = 0; c < count; ++c) {
      const float* score = scores.data() + i * all + c * per_class;
      const double sum = std::accumulate(score, score + per_class, 0.0);
      if (sum > highest) {
        highest = sum;
        best = c;
      }
    }
    const size_t truth = classes.test_labels()[i];
    of_class[truth] += 1;
    right[truth] += best == truth ? 1 : 0;
  }
  Accuracy result;
  for (size_t c = 0; c < count; ++c) result.balanced += right[c] / of_class[c] / static_cast<double>(count);
  const std::vector<size_t> minority = minority_classes(sizes);
  for (const size_t c : minority) result.minority += right[c] / of_class[c] / static_cast<double>(minority.size());
  return result;
}

void simulate_sums(const PseudoClasses& classes, const PseudoClasses::Rows& rows, const PoolPrior& prior,
                   const PseudoData& data, double rho, unsigned threads, std::span<Trial*> trials) {
  const std::vector<double> exact = exact_sums(classes, rows, data);
  std::map<Rational, std::vector<Trial*>> by_share;
  for (Trial* trial : trials) {
    const auto* metric = mean_of(*trial).metric();
    by_share[metric != nullptr ? metric->share : Rational(0)].push_back(trial);
  }
  for (const auto& [share, of_share] : by_share) {
    const double sigma = 1 / std::sqrt(2 * rho * (1 - share.get_d()));
    SeededRandom random(data.seed);
    std::vector<double> sums = exact;
    for (double& value : sums) value += sigma * normal(random);
    std::optional<Eigen::MatrixXd> metric;
    if (share > 0) metric = metric_of(noisy_moment(exact_moment(rows, data), rho * share.get_d(), random));
    std::map<Rational, std::vector<double>> means;  // by prior variance; 0: not shrunk
    for (Trial* trial : of_share) {
      const std::optional<Shrinkage>& shrink = mean_of(*trial).shrinkage;
      const Rational variance = shrink ? shrink->prior_variance : Rational(0);
      std::vector<double>& mean = means[variance];
      if (mean.empty()) mean = shrink ? posterior(sums, sigma, prior, variance.get_d(), threads).means : sums;
      const std::vector<float> prototypes =
          scale_prototypes(mean, classes.classes(), shrink ? shrink->lift.get_d() : 0, metric ? &*metric : nullptr);
      add(*trial, test(classes, rows, prototypes, 1, data.sizes), data);
    }
  }
}

void simulate_refined(const PseudoClasses& classes, const PseudoClasses::Rows& rows, const PoolPrior& prior,
                      const PseudoData& data, double rho, unsigned threads, std::span<Trial*> trials) {
  const std::vector<double> exact = exact_sums(classes, rows, data);
  const DrawnRows drawn = drawn_rows(classes, rows, data);
  // Those that differ only in what is done at the end.
  std::vector<std::vector<Trial*>> runs;
  for (Trial* trial : trials) {
    MeanSettings how = mean_of(*trial);
    const auto same = std::find_if(runs.begin(), runs.end(), [&](const std::vector<Trial*>& run) {
      std::get<GradientSteps>(how.extra).balance = mean_of(*run.front()).gradient_steps()->balance;
      return how == mean_of(*run.front());
    });
    (same == runs.end() ? runs.emplace_back() : *same).push_back(trial);
  }
  for (const std::vector<Trial*>& run : runs) {
    const MeanSettings& how = mean_of(*run.front());
    const GradientSteps& steps = *how.gradient_steps();
    const double share = steps.share.get_d(), sigma = 1 / std::sqrt(2 * rho * (1 - share));
    SeededRandom random(data.seed);
    std::vector<double> sums = exact;
    for (double& value : sums) value += sigma * normal(random);
    const double noise = gradient_sigma(rho * share, steps.steps);
    Refinement refinement(posterior(sums, sigma, prior, how.shrinkage->prior_variance.get_d(), threads),
                          {.lift = how.shrinkage->lift.get_d(), .rate = steps.rate.get_d(), .steps = steps.steps},
                          noise);
    Normals normals(random);
    for (unsigned t = 0; t < steps.steps; ++t) {
      std::vector<double> noisy = gradient(drawn, refinement, threads);
      for (double& value : noisy) value += noise * normals.next();
      refinement.step(noisy);
    }
    for (Trial* trial : run) {
      const std::vector<float> prototypes = refinement.prototypes(mean_of(*trial).gradient_steps()->balance.get_d());
      add(*trial, test(classes, rows, prototypes, 1, data.sizes), data);
    }
  }
}

void simulate_selection(const PseudoClasses& classes, const PseudoClasses::Rows& rows, const PseudoData& data,
                        double epsilon, unsigned threads, std::span<Trial*> trials) {
  const size_t candidates = std::min(rows.pool.size() / rows.dim, kCandidates), count = classes.classes();
  std::vector<Choosing> how;
  for (const Trial* trial : trials) how.push_back(choosing_of(*trial));
  std::vector<std::vector<float>> prototypes(trials.size());
  for (size_t t = 0; t < trials.size(); ++t) prototypes[t].resize(count * how[t].k * rows.dim);
  parallel_blocks(count, 1, threads, [&](size_t c, size_t, unsigned) {
    std::vector<float> dots(candidates);
    std::vector<std::vector<double>> scores(trials.size(), std::vector<double>(candidates));
    for (const size_t i : classes.train(c)) {
      if (data.times[i] == 0) continue;
      multiply_rows(rows.train.data() + i * rows.dim, 1, rows.dim, rows.pool.data(), candidates, dots.data());
      for (size_t t = 0; t < trials.size(); ++t) {
        const auto [low, high, k] = how[t];
        for (size_t j = 0; j < candidates; ++j) {
          scores[t][j] += data.times[i] * (std::clamp(static_cast<double>(dots[j]), low, high) - low) / (high - low);
        }
      }
    }
    for (size_t t = 0; t < trials.size(); ++t) {
      SeededRandom random(data.seed * 1000 + c);
      const size_t k = how[t].k;
      const std::vector<size_t> chosen = choose(scores[t], epsilon, k, random);
      for (size_t p = 0; p < k; ++p) {
        std::copy_n(rows.pool.begin() + static_cast<std::ptrdiff_t>(chosen[p] * rows.dim), rows.dim,
                    prototypes[t].begin() + static_cast<std::ptrdiff_t>((c * k + p) * rows.dim));
      }
    }
  });
  for (size_t t = 0; t < trials.size(); ++t) {
    add(*trials[t], test(classes, rows, prototypes[t], how[t].k, data.sizes), data);
  }
}

Rational cosine_quantile(const PseudoClasses::Rows& rows, double quantile) {
  const size_t count = rows.pool.size() / rows.dim, some = std::min<size_t>(count, 256);
  std::vector<float> first, dots(some * count), cosines;
  for (size_t i = 0; i < some; ++i) {
    const auto begin = rows.pool.begin() + static_cast<std::ptrdiff_t>(i * count / some * rows.dim);
    first.insert(first.end(), begin, begin + static_cast<std::ptrdiff_t>(rows.dim));
  }
  multiply_rows(first.data(), some, rows.dim, rows.pool.data(), count, dots.data());
  for (size_t i = 0; i < some; ++i) {
    for (size_t j = 0; j < count; ++j) {
      if (j != i * count / some) cosines.push_back(dots[i * count + j]);
    }
  }
  const auto at = cosines.begin() + static_cast<std::ptrdiff_t>(quantile * static_cast<double>(cosines.size() - 1));
  std::nth_element(cosines.begin(), at, cosines.end());
  Rational rounded(std::lround(static_cast<double>(*at) * 1000), 1000);
  rounded.canonicalize();
  return rounded;
}

}  // namespace dppl
