#include "estimation/known_directions.h"

#include <cmath>
#include <numeric>
#include <span>

#include "kernels/row_math.h"

namespace dppl {
namespace {

// The sum of examples of every class, and how many they are.
class ExampleSums {
 public:
  ExampleSums(size_t classes, size_t dim) : dim_(dim), sums_(classes * dim), counts_(classes) {}

  void add(size_t c, std::span<const double> row) {
    const double length = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
    if (length == 0) return;
    for (size_t k = 0; k < dim_; ++k) sums_[c * dim_ + k] += row[k] / length;
    ++counts_[c];
  }

  KnownDirections directions() const {
    ExampleSums units(counts_.size(), dim_);
    for (size_t c = 0; c < counts_.size(); ++c) units.add(c, std::span(sums_).subspan(c * dim_, dim_));
    return {units.sums_, counts_};
  }

 private:
  size_t dim_;
  std::vector<double> sums_;
  std::vector<size_t> counts_;
};

// The row after the transform.
std::vector<double> transformed(std::span<const float> row, const PublicTransform& transform) {
  std::vector<float> out(transform.output_dim());
  transform.apply(row, out);
  return {out.begin(), out.end()};
}

void add_examples(const ClassKnowledge& knowledge, const PublicTransform& transform, ExampleSums& sums) {
  const Embeddings& rows = knowledge.examples()->embeddings();
  std::vector<float> row(knowledge.dim());
  for (size_t i = 0; i < rows.rows(); ++i) {
    rows.row(i, row);
    sums.add(static_cast<size_t>(knowledge.labels()[i]), transformed(row, transform));
  }
}

void add_prior(const ClassKnowledge& knowledge, const PublicTransform& transform, ExampleSums& sums) {
  const size_t dim = transform.output_dim(), classes = knowledge.classes().size();
  std::vector<std::vector<double>> rows(classes);
  std::vector<double> mean(dim);
  size_t known = 0;
  for (size_t c = 0; c < classes; ++c) {
    const auto row = knowledge.prior().subspan(c * knowledge.dim(), knowledge.dim());
    if (sum_of_squares(row.data(), row.size()) == 0) continue;
    rows[c] = transformed(row, transform);
    for (size_t k = 0; k < dim; ++k) mean[k] += rows[c][k];
    ++known;
  }
  // The mean of n vectors says where such vectors lie but for an n-th of these classes' own: of a single one, nothing.
  const auto n = static_cast<double>(known);
  const double share = known == 0 ? 0 : (1 - 1 / n) / n;
  for (size_t c = 0; c < classes; ++c) {
    for (size_t k = 0; k < rows[c].size(); ++k) rows[c][k] -= share * mean[k];
    if (!rows[c].empty()) sums.add(c, rows[c]);
  }
}

}  // namespace

std::vector<double> KnownDirections::expected_means(double prior_variance) const {
  std::vector<double> means = directions;
  const size_t dim = means.size() / examples.size();
  for (size_t i = 0; i < means.size(); ++i) {
    const auto count = static_cast<double>(examples[i / dim]);
    means[i] *= std::sqrt(count / (count + prior_variance));
  }
  return means;
}

KnownDirections known_directions(const ClassKnowledge& knowledge, const PublicTransform& transform) {
  ExampleSums sums(knowledge.classes().size(), transform.output_dim());
  if (knowledge.examples()) add_examples(knowledge, transform, sums);
  if (!knowledge.prior().empty()) add_prior(knowledge, transform, sums);
  return sums.directions();
}

}  // namespace dppl
