#include "dppl/transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/strict_math.h"
#include "base/whole_number.h"
#include "dppl/invalid_record.h"
#include "kernels/row_math.h"
#include "rows/pool_shards.h"
#include "rows/pool_spectrum.h"
#include "rows/public_access.h"

namespace dppl {
namespace {

using Kind = TransformSpec::Kind;

constexpr std::pair<Kind, std::string_view> kKinds[] = {
    {Kind::none, "none"}, {Kind::center, "center"}, {Kind::pca, "pca"}, {Kind::whiten, "whiten"}};

bool has_directions(Kind kind) { return kind == Kind::pca || kind == Kind::whiten; }

// Leading directions as columns (row-major), each divided by its variance to the power of the spec where asked.
std::vector<float> leading_directions(const PoolSpectrum& spectrum, const TransformSpec& spec) {
  const Eigen::Index dim = spectrum.directions.rows(), k = static_cast<Eigen::Index>(spec.directions);
  const auto usable = static_cast<Eigen::Index>(spectrum.usable_directions());
  if (k > usable) {
    throw InvalidInput(
        fmt::format("transform {}: the pool varies in {} directions only; use a smaller K or a larger pool",
                    spec.to_string(), usable));
  }
  std::vector<float> basis(static_cast<size_t>(dim * k));
  for (Eigen::Index c = 0; c < k; ++c) {
    double scale = 1;
    // One half is a square root, which is the same everywhere; other powers are the C library's.
    const double variance = spectrum.variances(c);
    if (spec.kind == Kind::whiten) {
      scale /= spec.eigen_power == 0.5 ? std::sqrt(variance) : std::pow(variance, spec.eigen_power);
    }
    for (Eigen::Index i = 0; i < dim; ++i) {
      basis[static_cast<size_t>(i * k + c)] = static_cast<float>(scale * spectrum.directions(i, c));
    }
  }
  return basis;
}

// A row of length 1 minus the mean is at most 1 + ‖mean‖ long, so every partial sum of its product with a column of the
// basis stays below (1 + ‖mean‖)·‖column‖ but for rounding. Up to this limit nothing comes near the end of float, and
// every transformed record is finite. An ordinary pool stays below 2^20; only one that hardly varies is refused.
constexpr double kLargestProduct = 0x1p100;

void refuse_overflow(const TransformSpec& spec, std::span<const float> mean, std::span<const float> basis) {
  std::vector<double> squares(spec.directions);
  for (size_t i = 0; i < basis.size(); ++i) {
    squares[i % spec.directions] += static_cast<double>(basis[i]) * static_cast<double>(basis[i]);
  }
  const double longest = squares.empty() ? 1 : std::sqrt(*std::max_element(squares.begin(), squares.end()));
  const double reach = (1 + std::sqrt(sum_of_squares(mean.data(), mean.size()))) * longest;
  if (reach <= kLargestProduct) return;
  if (!std::isfinite(reach)) throw InvalidInput(fmt::format("transform {}: a number is not finite", spec.to_string()));
  throw InvalidInput(
      fmt::format("transform {}: its numbers are so large that a record could become infinite; the pool hardly varies: "
                  "use a smaller K, a smaller power or another pool",
                  spec.to_string()));
}

// "0.3" or "0.35": hundredths from 1 to 100.
std::optional<double> parse_power(std::string_view text) {
  if (text == "1") return 1;
  if (text.size() < 3 || text.size() > 4 || !text.starts_with("0.")) return std::nullopt;
  const std::optional<uint64_t> digits = whole_number(text.substr(2));
  if (!digits || *digits == 0) return std::nullopt;
  return static_cast<double>(text.size() == 3 ? 10 * *digits : *digits) / 100;
}

std::optional<size_t> parse_size(std::string_view text) {
  const std::optional<uint64_t> size = whole_number(text);
  return size && *size > 0 ? size : std::nullopt;
}

constexpr std::string_view kAverage = "average:";

// "pca:K" and its like, without a window.
std::optional<TransformSpec> parse_plain(std::string_view text) {
  const size_t colon = text.find(':');
  const auto found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                  [&](const auto& entry) { return entry.second == text.substr(0, colon); });
  if (found == std::end(kKinds) || has_directions(found->first) != (colon != std::string_view::npos)) {
    return std::nullopt;
  }
  TransformSpec spec{.kind = found->first};
  if (colon == std::string_view::npos) return spec;
  const std::string_view rest = text.substr(colon + 1), number = rest.substr(0, rest.find(':'));
  const auto directions = parse_size(number);
  if (!directions) return std::nullopt;
  spec.directions = *directions;
  if (number.size() == rest.size()) return spec;
  const auto power = spec.kind == Kind::whiten ? parse_power(rest.substr(number.size() + 1)) : std::nullopt;
  if (!power) return std::nullopt;
  spec.eigen_power = *power;
  return spec;
}

std::optional<TransformSpec> parse_spec(std::string_view text) {
  if (!text.starts_with(kAverage)) return parse_plain(text);
  const size_t plus = text.find('+');
  auto spec = plus == std::string_view::npos ? TransformSpec{} : parse_plain(text.substr(plus + 1));
  const auto window = parse_size(text.substr(kAverage.size(), plus - kAverage.size()));
  if (!spec || !window) return std::nullopt;
  spec->window = *window;
  return spec;
}

// What was done to the rows before they were stored; null for a matrix.
const PublicTransform* transform_done(const PublicData& pool) {
  const PublicAccess access(pool);
  if (access.description() != nullptr) return &access.description()->transform;
  return access.shards() != nullptr ? &access.shards()->transform() : nullptr;
}

}  // namespace

TransformSpec TransformSpec::parse(std::string_view text) {
  if (const auto spec = parse_spec(text)) return *spec;
  throw InvalidInput(
      fmt::format("transform: '{}' is not known; use none, center, average:W, pca:K or whiten:K with a whole number "
                  "(whiten:K:POWER for a power between 0.01 and 1)",
                  text.substr(0, 60)));
}

std::string TransformSpec::to_string() const {
  const auto found =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const auto& entry) { return entry.first == kind; });
  std::string text(found->second);
  if (has_directions(kind)) text += fmt::format(":{}", directions);
  if (kind == Kind::whiten && eigen_power != 0.5) text += fmt::format(":{}", eigen_power);
  if (window == 1) return text;
  const std::string average = fmt::format("{}{}", kAverage, window);
  return kind == Kind::none ? average : average + "+" + text;
}

PublicTransform::PublicTransform(const TransformSpec& spec, size_t input_dim) : spec_(spec), input_dim_(input_dim) {
  if (spec.window == 0 || spec.window > input_dim) {
    throw InvalidInput(
        fmt::format("transform {}: the window must be between 1 and the dimension, {}", spec.to_string(), input_dim));
  }
  if (has_directions(spec.kind) && (spec.directions == 0 || spec.directions > pooled_dim())) {
    throw InvalidInput(fmt::format("transform {}: there are {} dimensions; K must be between 1 and that",
                                   spec.to_string(), pooled_dim()));
  }
}

size_t PublicTransform::output_dim() const { return has_directions(spec_.kind) ? spec_.directions : pooled_dim(); }

void refuse_dimension(const PublicData& pool, size_t data_dim) {
  // A matrix saved the wrong way round has as many columns as there are records.
  throw InvalidRecord(fmt::format("{}: the pool has dimension {}, the private data another; embed both with the same "
                                  "encoder",
                                  PublicAccess(pool).name(), pool.dim()),
                      fmt::format("the private data has {}", data_dim));
}

std::optional<TransformSpec> stored_transform(const PublicData& pool) {
  const PublicTransform* done = transform_done(pool);
  if (done == nullptr || done->spec() == TransformSpec{}) return std::nullopt;
  return done->spec();
}

void check_stored_transform(const PublicData& pool, const TransformSpec& spec) {
  // Rows that are elsewhere are compared as they are; those that are here can be transformed.
  const auto stored = PublicAccess(pool).description() ? transform_done(pool)->spec() : stored_transform(pool);
  if (!stored || *stored == spec) return;
  throw InvalidInput(fmt::format("transform {}: {} holds rows after {}; use that, or build another pool file",
                                 spec.to_string(), PublicAccess(pool).name(), stored->to_string()));
}

PublicTransform PublicTransform::compute(const TransformSpec& spec, size_t input_dim,
                                         const std::optional<PublicData>& pool, unsigned threads) {
  PublicTransform result(spec, input_dim);
  if (!spec.needs_pool()) return result;
  if (!pool) {
    throw InvalidInput(fmt::format("transform {}: is computed from the public pool; give one", spec.to_string()));
  }
  if (pool->dim() != input_dim) refuse_dimension(*pool, input_dim);
  check_stored_transform(*pool, spec);
  if (stored_transform(*pool)) return *transform_done(*pool);
  if (!has_directions(spec.kind)) {
    result.mean_ = pool_mean(*pool, spec.window, threads);
    refuse_overflow(spec, result.mean_, {});
    return result;
  }
  const PoolSpectrum& spectrum = PublicAccess(*pool).spectrum(spec.window, threads);
  result.mean_ = spectrum.mean;
  result.basis_ = leading_directions(spectrum, spec);
  refuse_overflow(spec, result.mean_, result.basis_);
  return result;
}

PublicTransform PublicTransform::restore(const TransformSpec& spec, size_t input_dim, std::vector<float> mean,
                                         std::vector<float> basis) {
  PublicTransform result(spec, input_dim);
  const size_t mean_size = spec.needs_pool() ? result.pooled_dim() : 0;
  const size_t basis_size = has_directions(spec.kind) ? result.pooled_dim() * spec.directions : 0;
  if (mean.size() != mean_size || basis.size() != basis_size) {
    throw InvalidInput(fmt::format("transform {}: {} mean and {} basis values where {} and {} belong", spec.to_string(),
                                   mean.size(), basis.size(), mean_size, basis_size));
  }
  refuse_overflow(spec, mean, basis);
  result.mean_ = std::move(mean);
  result.basis_ = std::move(basis);
  return result;
}

PublicTransform PublicTransform::moved_by(std::span<const double> shift) const {
  if (!spec_.needs_pool()) {
    throw InvalidInput(
        fmt::format("transform {}: has no centre to move; use center, pca:K or whiten:K", spec_.to_string()));
  }
  // The basis has orthogonal columns b, so that b/‖b‖² is what a column takes from the result by 1.
  std::vector<double> by_column(shift.begin(), shift.end()), squares(spec_.directions);
  for (size_t i = 0; i < basis_.size(); ++i) {
    squares[i % spec_.directions] += static_cast<double>(basis_[i]) * static_cast<double>(basis_[i]);
  }
  // A column that is nothing beside the others, as a pool file of anybody's may have, has no direction to move along.
  const double least = squares.empty() ? 0 : 1e-12 * *std::max_element(squares.begin(), squares.end());
  for (size_t k = 0; k < squares.size(); ++k) by_column[k] = squares[k] > least ? by_column[k] / squares[k] : 0;
  std::vector<float> mean(mean_.size());
  for (size_t j = 0; j < mean.size(); ++j) {
    double moved = static_cast<double>(mean_[j]) + (basis_.empty() ? shift[j] : 0);
    for (size_t k = 0; k < squares.size(); ++k) {
      moved += by_column[k] * static_cast<double>(basis_[j * spec_.directions + k]);
    }
    mean[j] = static_cast<float>(moved);
  }
  return restore(spec_, input_dim_, std::move(mean), basis_);
}

void PublicTransform::pool_and_center(const float* row, std::vector<float>& scratch, float* out) const {
  const double scale = inverse_length(row, input_dim_);
  const size_t width = spec_.window, dim = pooled_dim();
  if (width == 1) {
    scale_row(row, dim, scale, out);
  } else {
    scratch.resize(input_dim_);
    scale_row(row, input_dim_, scale, scratch.data());
    for (size_t k = 0; k < dim; ++k) {
      double sum = 0;
      for (size_t i = k * width; i < (k + 1) * width; ++i) sum += static_cast<double>(scratch[i]);
      out[k] = static_cast<float>(sum / static_cast<double>(width));
    }
  }
  for (size_t k = 0; k < mean_.size(); ++k) out[k] -= mean_[k];
}

void PublicTransform::apply(std::span<const float> rows, std::span<float> out) const {
  const size_t count = rows.size() / input_dim_, dim = pooled_dim();
  std::vector<float> scratch, centered;
  if (basis_.empty()) {
    for (size_t i = 0; i < count; ++i) pool_and_center(rows.data() + i * input_dim_, scratch, out.data() + i * dim);
    return;
  }
  centered.resize(count * dim);
  for (size_t i = 0; i < count; ++i) pool_and_center(rows.data() + i * input_dim_, scratch, centered.data() + i * dim);
  project_rows(centered.data(), count, dim, basis_.data(), spec_.directions, out.data());
}

}  // namespace dppl
