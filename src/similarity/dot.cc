#include "similarity/dot.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dppl/error.h"
#include "similarity/cpu.h"

namespace dppl {

ScoreRows::ScoreRows(size_t rows, size_t dim)
    : dim_(dim), stride_((dim + kAlign - 1) / kAlign * kAlign), values_(rows * stride_), inverse_norms_(rows) {
  // A dot product of 127² a dimension must fit 32 bits.
  if (dim > kLargestDim)
    throw InvalidInput(fmt::format("embeddings of dimension {}: at most {} are supported", dim, kLargestDim));
}

void ScoreRows::set(size_t i, std::span<const float> row) {
  float largest = 0;
  for (const float value : row) largest = std::max(largest, std::abs(value));
  int8_t* out = values_.data() + i * stride_;
  if (!(largest > 0)) {
    std::fill_n(out, dim_, int8_t{0});
    inverse_norms_[i] = 0;
    return;
  }
  const double scale = 127.0 / static_cast<double>(largest);
  int64_t squares = 0;
  for (size_t k = 0; k < dim_; ++k) {
    const double scaled = static_cast<double>(row[k]) * scale;  // within 127 and a rounding
    const auto value = static_cast<int32_t>(scaled + (scaled < 0 ? -0.5 : 0.5));
    out[k] = static_cast<int8_t>(value);
    squares += value * value;
  }
  inverse_norms_[i] = squares > 0 ? static_cast<float>(1 / std::sqrt(static_cast<double>(squares))) : 0.0f;
}

namespace {

struct Scorer {
  float low, factor;

  explicit Scorer(ScoreRange range)
      : low(range.low), factor(static_cast<float>(kScoreTop) / (range.high - range.low)) {}

  // A function of the pair alone: three roundings in one fixed order, then a cut and a truncation.
  int32_t operator()(int32_t dot, float record_inverse, float candidate_inverse) const {
    const float cosine = static_cast<float>(dot) * record_inverse * candidate_inverse;
    const float position = (cosine - low) * factor;
    return static_cast<int32_t>(std::min(std::max(position, 0.0f), static_cast<float>(kScoreTop)));
  }
};

int32_t plain_dot(const int8_t* a, const int8_t* b, size_t n) {
  int32_t sum = 0;
  for (size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// Candidates of a tile are widened to 16 bits once and meet all records of the class.
constexpr size_t kTile = 4;

void widen(const ScoreRows& rows, size_t first, size_t count, std::vector<int16_t>& out) {
  out.resize(count * rows.stride());
  std::copy_n(rows.row(first), count * rows.stride(), out.begin());
}

template <size_t kRecords, size_t kCandidates>
void dot_tile_portable(const int16_t* records, const int16_t* candidates, size_t stride, int32_t* dots) {
  for (size_t r = 0; r < kRecords; ++r) {
    for (size_t c = 0; c < kCandidates; ++c) {
      int32_t sum = 0;
      for (size_t k = 0; k < stride; ++k) sum += records[r * stride + k] * candidates[c * stride + k];
      dots[r * kCandidates + c] = sum;
    }
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] inline int32_t horizontal_sum(__m256i x) {
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1)));
}

template <size_t kRecords, size_t kCandidates>
[[gnu::target("avx2")]] void dot_tile_avx2(const int16_t* records, const int16_t* candidates, size_t stride,
                                           int32_t* dots) {
  __m256i sums[kRecords][kCandidates];
  for (size_t r = 0; r < kRecords; ++r) {
    for (size_t c = 0; c < kCandidates; ++c) sums[r][c] = _mm256_setzero_si256();
  }
  for (size_t k = 0; k < stride; k += 16) {
    __m256i candidate[kCandidates];
    for (size_t c = 0; c < kCandidates; ++c) {
      candidate[c] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(candidates + c * stride + k));
    }
    for (size_t r = 0; r < kRecords; ++r) {
      const __m256i record = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(records + r * stride + k));
      for (size_t c = 0; c < kCandidates; ++c) {
        sums[r][c] = _mm256_add_epi32(sums[r][c], _mm256_madd_epi16(record, candidate[c]));
      }
    }
  }
  for (size_t r = 0; r < kRecords; ++r) {
    for (size_t c = 0; c < kCandidates; ++c) dots[r * kCandidates + c] = horizontal_sum(sums[r][c]);
  }
}
#else
template <size_t kRecords, size_t kCandidates>
void dot_tile_avx2(const int16_t* records, const int16_t* candidates, size_t stride, int32_t* dots) {
  dot_tile_portable<kRecords, kCandidates>(records, candidates, stride, dots);
}
#endif

using DotTile = void (*)(const int16_t*, const int16_t*, size_t, int32_t*);
constexpr size_t kRecordTile = 3;

// Indexed by [records − 1][candidates − 1].
template <template <size_t, size_t> typename Tile>
struct TileTable {
  DotTile tiles[kRecordTile][kTile] = {
      {Tile<1, 1>::run, Tile<1, 2>::run, Tile<1, 3>::run, Tile<1, 4>::run},
      {Tile<2, 1>::run, Tile<2, 2>::run, Tile<2, 3>::run, Tile<2, 4>::run},
      {Tile<3, 1>::run, Tile<3, 2>::run, Tile<3, 3>::run, Tile<3, 4>::run},
  };
};
template <size_t R, size_t C>
struct Portable {
  static constexpr DotTile run = dot_tile_portable<R, C>;
};
template <size_t R, size_t C>
struct Avx2 {
  static constexpr DotTile run = dot_tile_avx2<R, C>;
};
constexpr TileTable<Portable> kPortableTiles;
constexpr TileTable<Avx2> kAvx2Tiles;

}  // namespace

void add_scores(const ScoreRows& records, const ScoreRows& candidates, size_t first, ScoreRange range,
                std::span<int64_t> scores) {
  const auto& tiles = cpu_level() == CpuLevel::avx2 ? kAvx2Tiles.tiles : kPortableTiles.tiles;
  const Scorer scorer(range);
  const size_t stride = candidates.stride();
  std::vector<int16_t> wide_records, wide_candidates;
  int32_t dots[kRecordTile * kTile];
  // Enough records to fill half of a small second-level cache; the candidates of a tile stay in the first level.
  const size_t block = std::max<size_t>(kRecordTile, (size_t{128} << 10) / (2 * stride) / kRecordTile * kRecordTile);
  for (size_t record_begin = 0; record_begin < records.rows(); record_begin += block) {
    const size_t record_count = std::min(block, records.rows() - record_begin);
    widen(records, record_begin, record_count, wide_records);
    for (size_t j = 0; j < scores.size(); j += kTile) {
      const size_t width = std::min(kTile, scores.size() - j);
      widen(candidates, first + j, width, wide_candidates);
      for (size_t r = 0; r < record_count; r += kRecordTile) {
        const size_t height = std::min(kRecordTile, record_count - r);
        tiles[height - 1][width - 1](wide_records.data() + r * stride, wide_candidates.data(), stride, dots);
        for (size_t a = 0; a < height; ++a) {
          for (size_t b = 0; b < width; ++b) {
            scores[j + b] += scorer(dots[a * width + b], records.inverse_norm(record_begin + r + a),
                                    candidates.inverse_norm(first + j + b));
          }
        }
      }
    }
  }
}

void add_scores_reference(const ScoreRows& records, const ScoreRows& candidates, size_t first, ScoreRange range,
                          std::span<int64_t> scores) {
  const Scorer scorer(range);
  for (size_t j = 0; j < scores.size(); ++j) {
    for (size_t r = 0; r < records.rows(); ++r) {
      scores[j] += scorer(plain_dot(records.row(r), candidates.row(first + j), candidates.stride()),
                          records.inverse_norm(r), candidates.inverse_norm(first + j));
    }
  }
}

}  // namespace dppl
