#include "estimation/known_directions.h"

#include <cmath>

#include "kernels/row_math.h"

namespace dppl {
namespace {

// With fewer, a mean of the prior's own says more about its classes than about where such vectors lie.
constexpr size_t kEnoughForAMean = 5;

void add_unit(std::span<const double> row, std::span<double> to) {
  double squares = 0;
  for (const double value : row) squares += value * value;
  for (size_t k = 0; squares > 0 && k < row.size(); ++k) to[k] += row[k] / std::sqrt(squares);
}

// The row after the transform.
std::vector<double> transformed(std::span<const float> row, const PublicTransform& transform) {
  std::vector<float> out(transform.output_dim());
  transform.apply(row, out);
  return {out.begin(), out.end()};
}

void add_examples(const ClassKnowledge& knowledge, const PublicTransform& transform, std::span<double> sums) {
  const Embeddings& rows = knowledge.examples()->embeddings();
  const size_t dim = transform.output_dim();
  std::vector<float> row(knowledge.dim());
  for (size_t i = 0; i < rows.rows(); ++i) {
    rows.row(i, row);
    add_unit(transformed(row, transform), sums.subspan(static_cast<size_t>(knowledge.labels()[i]) * dim, dim));
  }
}

void add_prior(const ClassKnowledge& knowledge, const PublicTransform& transform, std::span<double> sums) {
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
  const double share = known >= kEnoughForAMean ? 1 / static_cast<double>(known) : 0;
  for (size_t c = 0; c < classes; ++c) {
    for (size_t k = 0; k < rows[c].size(); ++k) rows[c][k] -= share * mean[k];
    if (!rows[c].empty()) add_unit(rows[c], sums.subspan(c * dim, dim));
  }
}

}  // namespace

std::vector<double> known_directions(const ClassKnowledge& knowledge, const PublicTransform& transform) {
  const size_t dim = transform.output_dim();
  std::vector<double> sums(knowledge.classes().size() * dim), directions(sums.size());
  if (knowledge.examples()) add_examples(knowledge, transform, sums);
  if (!knowledge.prior().empty()) add_prior(knowledge, transform, sums);
  for (size_t i = 0; i < sums.size(); i += dim) {
    add_unit(std::span(sums).subspan(i, dim), std::span(directions).subspan(i, dim));
  }
  return directions;
}

}  // namespace dppl
