#pragma once

#include <Eigen/Core>
#include <functional>
#include <span>
#include <vector>

#include "dppl/baselines.h"

// What the baselines do with rows. Sums are made of blocks whose bounds depend on nothing but the number of rows, and
// the blocks are added in order: the same result from any number of threads.
namespace dppl {

// Throws InvalidInput, beginning with `what`, unless these are whole rows of length up to 1.
void check_rows(std::string_view what, std::span<const float> values, size_t dim);

// Rows class after class.
struct GroupedRows {
  std::vector<float> values;
  size_t dim = 0;
  std::vector<size_t> begins;  // classes + 1

  size_t classes() const { return begins.size() - 1; }
  size_t count(size_t c) const { return begins[c + 1] - begins[c]; }
  std::span<const float> of(size_t c) const { return std::span(values).subspan(begins[c] * dim, count(c) * dim); }
};
GroupedRows group_by_class(const LabelledRows& rows);

// The sum of vectors of `size` floats, one per block of 0 … count − 1.
std::vector<double> sum_blocks(size_t count, size_t size, unsigned threads,
                               const std::function<void(size_t begin, size_t end, std::span<float> out)>& work);

// classes × dim: Σ of the rows of each class.
std::vector<double> class_sums(const LabelledRows& rows, unsigned threads);

// Σ w·x·xᵀ over rows of `dim` values; no weights: all are 1.
Eigen::MatrixXd second_moment(std::span<const float> values, size_t dim, std::span<const float> weights,
                              unsigned threads);

std::vector<float> to_float(std::span<const double> values);

// Multiplies each row by a symmetric matrix.
void multiply_rows_by(const Eigen::MatrixXd& symmetric, std::span<double> rows);

// Scales rows to length 1; rows of zeros stay.
void scale_to_unit(std::span<double> values, size_t dim);

// rows × transposed: rows of `dim` values times outer × dim, row-major.
std::vector<float> multiply(std::span<const float> rows, size_t dim, std::span<const float> columns, unsigned threads);

// Rows times a matrix, directions × dim, then scaled to length 1.
std::vector<float> project(std::span<const float> rows, size_t dim, std::span<const float> matrix, unsigned threads);

}  // namespace dppl
