#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dppl/embeddings.h"

namespace dppl {

// What is done to every row (private, pool and query alike) before it is used, all of it public:
// unit length → averages of windows of neighbouring coordinates → minus the pool's mean → the pool's leading principal
// directions → each divided by its variance on the pool, raised to a power: 1/2, its standard deviation, makes the pool
// equally wide in all of them; less keeps the leading ones ahead.
struct TransformSpec {
  enum class Kind { none = 1, center, pca, whiten };  // the numbers are those of pool files
  Kind kind = Kind::none;
  size_t directions = 0;     // pca, whiten
  size_t window = 1;         // of the averages; a shorter one at the end is dropped
  double eigen_power = 0.5;  // whiten; a whole number of hundredths

  // "none", "center", "pca:K", "whiten:K" or, with another power than 1/2, "whiten:K:0.3"; "average:W" for windows of
  // W, alone or before one of these ("average:4+whiten:64").
  static TransformSpec parse(std::string_view text);
  std::string to_string() const;
  bool needs_pool() const { return kind >= Kind::center; }
  friend bool operator==(const TransformSpec&, const TransformSpec&) = default;
};

// A TransformSpec with the numbers that the pool gave it. A function of the pool alone, bit for bit the same on every
// machine and with any number of threads; a row's result depends on nothing but the row.
class PublicTransform {
 public:
  // Throws InvalidInput when the spec needs a pool that is missing, of another dimension, or too small for the
  // directions.
  static PublicTransform compute(const TransformSpec& spec, size_t input_dim, const std::optional<PublicData>& pool,
                                 unsigned threads = kDefaultThreads);
  // From a model file: mean has pooled_dim() values, basis pooled_dim() × directions. Checked.
  static PublicTransform restore(const TransformSpec& spec, size_t input_dim, std::vector<float> mean,
                                 std::vector<float> basis);

  // The same with another centre: every result is reduced by `shift` (output_dim() values). What a fit has released of
  // its records goes in here, so that a model with a centre of its own is read and used as any other. Throws
  // InvalidInput where the transform does not centre rows at all.
  PublicTransform moved_by(std::span<const double> shift) const;

  const TransformSpec& spec() const { return spec_; }
  size_t input_dim() const { return input_dim_; }
  size_t pooled_dim() const { return input_dim_ / spec_.window; }
  size_t output_dim() const;
  std::span<const float> mean() const { return mean_; }    // empty for raw and none
  std::span<const float> basis() const { return basis_; }  // row-major pooled_dim() × directions; pca and whiten only

  // rows: count × input_dim(); out: count × output_dim(). The result is not of unit length in general.
  void apply(std::span<const float> rows, std::span<float> out) const;

 private:
  PublicTransform(const TransformSpec& spec, size_t input_dim);
  void pool_and_center(const float* row, std::vector<float>& scratch, float* out) const;

  TransformSpec spec_;
  size_t input_dim_;
  std::vector<float> mean_, basis_;
};

// What a pool file has done to its rows already; empty for a .npy and for a pool file that has done nothing.
std::optional<TransformSpec> stored_transform(const PublicData& pool);
// Throws InvalidInput when that is something else than `spec`.
void check_stored_transform(const PublicData& pool, const TransformSpec& spec);

// Throws InvalidInput: pool and data have different dimensions.
[[noreturn]] void refuse_dimension(const PublicData& pool, size_t data_dim);

}  // namespace dppl
