#include "lab/baselines/means.h"

#include <algorithm>

#include "base/parallel.h"
#include "lab/baselines/classifier.h"

namespace dppl {

std::vector<double> clipped_sum(std::span<const float> rows, std::span<const double> centre, double clip) {
  const size_t dim = centre.size();
  std::vector<double> sum(dim), row(dim);
  for (size_t begin = 0; begin < rows.size(); begin += dim) {
    double squares = 0;
    for (size_t k = 0; k < dim; ++k) {
      row[k] = static_cast<double>(rows[begin + k]) - centre[k];
      squares += row[k] * row[k];
    }
    const double factor = squares > clip * clip ? clip / std::sqrt(squares) : 1;
    for (size_t k = 0; k < dim; ++k) sum[k] += factor * row[k];
  }
  return sum;
}

std::vector<double> mean_row(std::span<const float> rows, size_t dim) {
  std::vector<double> mean = clipped_sum(rows, std::vector<double>(dim), INFINITY);
  for (double& value : mean) value /= std::max(1.0, static_cast<double>(rows.size() / dim));
  return mean;
}

double distance(std::span<const double> a, std::span<const double> b) {
  double squares = 0;
  for (size_t k = 0; k < a.size(); ++k) squares += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(squares);
}

LinearClassifier prototypes_by_class(const BaselineInput& input, SeededRandom& random,
                                     const std::function<void(size_t, Random&, std::span<double>)>& work) {
  const size_t dim = input.train.dim, classes = input.train.classes;
  const SeededRandom streams(random.next64());
  std::vector<double> prototypes(classes * dim);
  parallel_blocks(classes, 1, input.threads, [&](size_t c, size_t, unsigned) {
    Random stream = streams.stream(c);
    work(c, stream, std::span(prototypes).subspan(c * dim, dim));
  });
  return nearest_prototype(dim, std::move(prototypes));
}

}  // namespace dppl
