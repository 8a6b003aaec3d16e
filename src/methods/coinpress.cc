#include <cmath>

#include "base/parallel.h"
#include "estimation/coinpress_radii.h"
#include "kernels/row_math.h"
#include "rows/class_rows.h"
#include "rows/integer_row.h"
#include "statistics/class_sums/class_sums.h"

// CoinPress (Biswas, Dong, Kamath & Ullman 2020): the mean in a few steps, each clipping around the estimate of the
// step before. Stated for replace-one with public counts, so it needs replace-in-class. Each step here is a noisy
// integer sum of rows clipped around a released centre; the radii are computed from public numbers only (dimension,
// count, budget).
namespace dppl {
namespace {

constexpr double kTail = 0.01;

// Half of the budget for the last step, the rest in equal parts.
std::vector<Rational> shares(unsigned steps) {
  if (steps == 1) return {1};
  std::vector<Rational> result(steps - 1, Rational(1, 2 * (steps - 1)));
  result.push_back(Rational(1, 2));
  return result;
}

class ClassMean {
 public:
  ClassMean(const FitInput& input, const std::vector<size_t>& records)
      : input_(input),
        records_(records),
        dim_(input.transform.output_dim()),
        center_(dim_),
        radii_(dim_, kTail, 1) {}  // unit rows: the mean lies in the unit ball

  void step(Budget budget, Random& random) {
    const double n = static_cast<double>(std::max<size_t>(records_.size(), 1)), clip = radii_.clip();
    std::vector<int64_t> sum = clipped_sum(clip);
    const NoisySums released = release_sums(sum, 1, NormBound::replaced(kRadius), std::move(budget), random, 1);
    const double unit = clip / static_cast<double>(kRadius);
    for (size_t k = 0; k < dim_; ++k) center_[k] += static_cast<float>(static_cast<double>(sum[k]) * unit / n);
    radii_.narrow(n, std::sqrt(released.variance.get_d()) * unit / n);
    guarantee_ = guarantee_ ? compose(*guarantee_, released.guarantee) : released.guarantee;
  }

  const std::vector<float>& center() const { return center_; }
  const Guarantee& guarantee() const { return *guarantee_; }

 private:
  std::vector<int64_t> clipped_sum(double clip) const {
    std::vector<int64_t> sum(dim_);
    std::vector<float> row(dim_);
    TransformedBlock block(input_.transform);
    for (const size_t record : records_) {
      const auto values =
          block.load(input_.access.embeddings(), 1, [&](size_t) { return input_.access.row_of(record); });
      normalise_row(values.data(), dim_, row.data());
      for (size_t k = 0; k < dim_; ++k) row[k] -= center_[k];
      add_integer_row(row, clip, sum);
    }
    return sum;
  }

  const FitInput& input_;
  const std::vector<size_t>& records_;
  size_t dim_;
  std::vector<float> center_;
  CoinPressRadii radii_;
  std::optional<Guarantee> guarantee_;
};

}  // namespace

Prototypes fit_coinpress(const FitInput& input, ReplaceInClassBudget budget, Random& random) {
  const auto records = records_by_class(input.access, input.classes);
  const size_t dim = input.transform.output_dim();
  std::vector<Budget> budgets = Budget::parallel(Budget::to_zcdp(std::move(budget).take()), input.classes);
  std::vector<std::optional<Guarantee>> spent(input.classes);
  Prototypes result;
  result.values.resize(input.classes * dim);
  parallel_blocks(input.classes, 1, input.threads, [&](size_t c, size_t, unsigned) {
    Random stream = random.stream(c);
    ClassMean mean(input, records[c]);
    uint64_t number = 0;
    for (Budget& part : Budget::split(std::move(budgets[c]), shares(input.hyperparameters.coinpress_steps))) {
      Random step_stream = stream.stream(number++);
      mean.step(std::move(part), step_stream);
    }
    std::copy(mean.center().begin(), mean.center().end(), result.values.begin() + static_cast<std::ptrdiff_t>(c * dim));
    spent[c] = mean.guarantee();
  });
  result.guarantee = *spent.front();
  for (size_t c = 1; c < input.classes; ++c) result.guarantee = compose_disjoint(result.guarantee, *spent[c]);
  return result;
}

}  // namespace dppl
