#include "statistics/pair_scores/pair_scores.h"

#include <algorithm>
#include <cstring>

#include "kernels/dot_kernels.h"

namespace dppl {
namespace {

constexpr int32_t kOffset = 128;
// Candidates that stay in the second-level cache while the panels pass; a panel stays in the first level meanwhile.
constexpr size_t kCandidateBlock = 256;
// So many panels' scores, each below 2^43, add up exactly in a double.
constexpr size_t kPanelBlock = 32;

mpz_class scaled(const Rational& clip, bool up) {
  const Rational value = (clip - 1) * Rational(mpz_class(kCosineOne));
  mpz_class result;
  if (up) {
    mpz_cdiv_q(result.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  } else {
    mpz_fdiv_q(result.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  }
  return result;
}

}  // namespace

ScoreRange ScoreRange::of(const Rational& clip_min, const Rational& clip_max) {
  return {scaled(clip_min, false).get_si(), scaled(clip_max, true).get_si()};
}

RecordPanels::RecordPanels(const QuantisedRows& rows)
    : records_(rows.rows()), dim_(rows.dim()), steps_((rows.dim() + kByteStep - 1) / kByteStep) {
  const size_t count = (records_ + kPanel - 1) / kPanel;
  bytes_.assign(count * steps_ * kPanel * kByteStep, 0);
  factors_.assign(count * kPanel, 0);
  for (size_t i = 0; i < records_; ++i) {
    const int8_t* row = rows.row(i);
    uint8_t* out = bytes_.data() + (i / kPanel) * steps_ * kPanel * kByteStep + i % kPanel * kByteStep;
    size_t k = 0;
    for (; k + kByteStep <= dim_; k += kByteStep) {
      uint32_t four;
      std::memcpy(&four, row + k, sizeof four);
      four ^= 0x80808080;  // adds 128 to each
      std::memcpy(out + k * kPanel, &four, sizeof four);
    }
    for (size_t rest = 0; k + rest < dim_; ++rest)
      out[k * kPanel + rest] = static_cast<uint8_t>(row[k + rest] + kOffset);
    factors_[i] = static_cast<double>(rows.factor(i));
  }
}

void sum_scores(const RecordPanels& records, const QuantisedRows& candidates, std::span<const uint32_t> indices,
                ScoreRange range, std::span<int64_t> scores) {
  const DotKernels& kernels = dot_kernels();
  ScoreTile tile{nullptr, static_cast<double>(range.low), static_cast<double>(range.top())};
  // A cosine of 0, which is what the records that fill the last panel up have.
  const int64_t filler = std::clamp<int64_t>(-range.low, 0, range.top()) *
                         static_cast<int64_t>(records.panels() * kPanel - records.records());
  int32_t dots[kLargestWidth * kPanel];
  double sums[kCandidateBlock];
  int128 totals[kCandidateBlock];
  for (size_t begin = 0; begin < indices.size(); begin += kCandidateBlock) {
    const auto block = indices.subspan(begin, std::min(kCandidateBlock, indices.size() - begin));
    const auto out = scores.subspan(begin, block.size());
    std::fill_n(totals, block.size(), -filler);
    for (size_t first_panel = 0; first_panel < records.panels(); first_panel += kPanelBlock) {
      std::fill_n(sums, block.size(), 0.0);
      for (size_t p = first_panel; p < std::min(first_panel + kPanelBlock, records.panels()); ++p) {
        tile.record_factors = records.factors(p);
        for (size_t j = 0; j < block.size(); j += kernels.width) {
          const size_t width = std::min(kernels.width, block.size() - j);
          const int8_t* rows[kLargestWidth];
          for (size_t c = 0; c < width; ++c) rows[c] = candidates.row(block[j + c]);
          kernels.bytes(records.panel(p), records.steps(), rows, width, dots);
          for (size_t c = 0; c < width; ++c) {
            sums[j + c] += kernels.score_sum(tile, dots + c * kPanel, kOffset * candidates.sum(block[j + c]),
                                             candidates.factor(block[j + c]));
          }
        }
      }
      for (size_t j = 0; j < block.size(); ++j) totals[j] += static_cast<int64_t>(sums[j]);
    }
    for (size_t j = 0; j < block.size(); ++j) out[j] = range.total(totals[j]);
  }
}

void dots_with(const RecordPanels& records, const QuantisedRows& candidates, size_t first, size_t count,
               std::span<int32_t> dots) {
  const DotKernels& kernels = dot_kernels();
  int32_t tile[kLargestWidth * kPanel];
  for (size_t p = 0; p < records.panels(); ++p) {
    const size_t height = std::min(kPanel, records.records() - p * kPanel);
    for (size_t j = 0; j < count; j += kernels.width) {
      const size_t width = std::min(kernels.width, count - j);
      const int8_t* rows[kLargestWidth];
      for (size_t c = 0; c < width; ++c) rows[c] = candidates.row(first + j + c);
      kernels.bytes(records.panel(p), records.steps(), rows, width, tile);
      for (size_t c = 0; c < width; ++c) {
        const int32_t offset = kOffset * candidates.sum(first + j + c);
        int32_t* out = dots.data() + (j + c) * records.records() + p * kPanel;
        for (size_t r = 0; r < height; ++r) out[r] = tile[c * kPanel + r] - offset;
      }
    }
  }
}

}  // namespace dppl
