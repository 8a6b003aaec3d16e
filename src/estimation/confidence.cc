#include "estimation/confidence.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/parallel.h"
#include "estimation/constants.h"
#include "kernels/gemm.h"
#include "kernels/row_math.h"

namespace dppl {
namespace {

constexpr size_t kBlock = 256;

// Scores of records that are made of public rows; record i is of class i % classes.
class MadeRecords {
 public:
  MadeRecords(std::span<const float> prototypes, double scale, const Posterior& posterior, const PoolPrior& prior,
              double prior_variance, unsigned threads)
      : classes_(prototypes.size() / prior.dim),
        count_(std::min(kMadeRecords, std::max<size_t>(kMadeScores / classes_, 1))),
        scores_(count_ * classes_),
        threads_(threads) {
    const double deviation = std::sqrt(1 + prior_variance);
    const size_t dim = prior.dim, atoms = prior.size();
    each_block([&](size_t begin, size_t end) {
      std::vector<float> rows((end - begin) * dim), mean(dim);
      for (size_t i = begin; i < end; ++i) {
        const size_t c = i % classes_;
        const double open = deviation * std::sqrt(posterior.open[c] / 2);
        // A public row and two atoms, which change from record to record; never the same three before all rows were
        // there.
        const size_t of_row = i % atoms, other = (i + i / atoms + atoms / 2) % atoms;
        const float *rest = prior.rests.data() + of_row * dim, *from = prior.atoms.data() + of_row * dim,
                    *to = prior.atoms.data() + other * dim;
        for (size_t k = 0; k < dim; ++k) {
          mean[k] = static_cast<float>(posterior.means[c * dim + k] + open * (double{to[k]} - double{from[k]}));
        }
        normalise_row(mean.data(), dim, mean.data());
        float* row = rows.data() + (i - begin) * dim;
        for (size_t k = 0; k < dim; ++k) {
          row[k] = static_cast<float>(prior.cosines[of_row] * double{mean[k]} + double{rest[k]});
        }
        normalise_row(row, dim, row);
      }
      float* out = scores_.data() + begin * classes_;
      multiply_rows(rows.data(), end - begin, dim, prototypes.data(), classes_, out);
      for (size_t j = 0; j < (end - begin) * classes_; ++j) out[j] *= static_cast<float>(scale);
    });
  }

  // By how much the logarithm of the likelihood falls with the factor, on average over the records. It rises with the
  // factor.
  double fall(double factor) const {
    std::vector<double> of_blocks((count_ + kBlock - 1) / kBlock);
    each_block([&](size_t begin, size_t end) {
      double sum = 0;
      for (size_t i = begin; i < end; ++i) {
        const auto scores = std::span(scores_).subspan(i * classes_, classes_);
        sum += expected(scores, factor) - double{scores[i % classes_]};
      }
      of_blocks[begin / kBlock] = sum;
    });
    return std::accumulate(of_blocks.begin(), of_blocks.end(), 0.0) / static_cast<double>(count_);
  }

 private:
  template <typename Work>
  void each_block(const Work& work) const {
    parallel_blocks(count_, kBlock, threads_, [&](size_t begin, size_t end, unsigned) { work(begin, end); });
  }

  // The mean of scores under the probabilities that they state.
  static double expected(std::span<const float> scores, double factor) {
    const auto largest = double{*std::max_element(scores.begin(), scores.end())};
    double total = 0, sum = 0;
    for (const float score : scores) {
      const double weight = std::exp(factor * (double{score} - largest));
      total += weight;
      sum += weight * double{score};
    }
    return sum / total;
  }

  size_t classes_, count_;
  std::vector<float> scores_;
  unsigned threads_;
};

}  // namespace

double confidence(std::span<const float> prototypes, double scale, const Posterior& posterior, const PoolPrior& prior,
                  double prior_variance, unsigned threads) {
  const MadeRecords records(prototypes, scale, posterior, prior, prior_variance, threads);
  if (records.fall(1) <= 0) return 1;
  double low = kLeastConfidence, high = 1;
  while (high / low > kConfidenceStep) {
    const double middle = std::sqrt(low * high);
    (records.fall(middle) > 0 ? high : low) = middle;
  }
  return low;
}

}  // namespace dppl
