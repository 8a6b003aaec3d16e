#include "statistics/pair_scores/pair_scores.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "kernels/dot_kernels.h"
#include "statistics/constants.h"

namespace dppl {
namespace {

constexpr int32_t kOffset = RecordPanels::kOffset;
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

WeightedRows WeightedRows::gather(std::span<const uint32_t> indices) const {
  WeightedRows result(rows.gather(indices), {}, denominator);
  for (size_t j = 0; !weights.empty() && j < indices.size(); ++j) result.weights.push_back(weights[indices[j]]);
  return result;
}

// Their weight must not depend on whether there is a record.
void WeightedRows::add_public(const QuantisedRows& known, size_t copies) {
  rows = rows.followed_by(known, copies);
  if (!weights.empty()) weights.resize(rows.rows(), denominator);
}

RecordPanels::RecordPanels(const WeightedRows& weighted)
    : records_(weighted.rows.rows()),
      dim_(weighted.rows.dim()),
      steps_((dim_ + kByteStep - 1) / kByteStep),
      panels_((records_ + kPanel - 1) / kPanel),
      denominator_(weighted.denominator) {
  std::vector<size_t> order(records_);
  std::iota(order.begin(), order.end(), size_t{0});
  if (!weighted.weights.empty()) {
    std::ranges::stable_sort(order, {}, [&](size_t i) { return weighted.weights[i]; });
  }
  lines_.resize(panels_ * steps_);
  for (size_t i = 0; i < records_; ++i) {
    const int8_t* row = weighted.rows.row(order[i]);
    uint8_t* out = lines_[i / kPanel * steps_].bytes + i % kPanel * kByteStep;
    size_t k = 0;
    for (; k + kByteStep <= dim_; k += kByteStep) {
      uint32_t four;
      std::memcpy(&four, row + k, sizeof four);
      four ^= 0x80808080;  // adds 128 to each
      std::memcpy(out + k * kPanel, &four, sizeof four);
    }
    for (size_t rest = 0; k + rest < dim_; ++rest)
      out[k * kPanel + rest] = static_cast<uint8_t>(row[k + rest] + kOffset);
    const int64_t weight = weighted.weight(order[i]);
    if (i % kPanel == 0 || runs_.back().weight != weight) runs_.push_back({i / kPanel, weight, 0, {}});
    ++runs_.back().records;
    runs_.back().factors[i % kPanel] = static_cast<double>(weighted.rows.factor(order[i]));
  }
}

void sum_scores(const RecordPanels& records, const QuantisedRows& candidates, std::span<const uint32_t> indices,
                ScoreRange range, std::span<int64_t> scores) {
  const DotKernels& kernels = dot_kernels();
  size_t first = 0, together = 0;  // the panels whose products are in `dots`
  ScoreTile tile{nullptr, static_cast<double>(range.low), static_cast<double>(range.top())};
  // What the places of a panel count that have no record of a run: a cosine of 0.
  const int64_t filler = std::clamp<int64_t>(-range.low, 0, range.top());
  std::vector<int32_t> dots(kCandidateBlock * 2 * kPanel);
  double sums[kCandidateBlock];
  int128 totals[kCandidateBlock];
  for (size_t begin = 0; begin < indices.size(); begin += kCandidateBlock) {
    const auto block = indices.subspan(begin, std::min(kCandidateBlock, indices.size() - begin));
    // A panel and the next one, where there is one.
    const auto multiply = [&](size_t panel) {
      first = panel;
      together = std::min<size_t>(2, records.panels() - panel);
      const auto [product, most] = kernels.bytes_of(together);
      for (size_t j = 0; j < block.size(); j += most) {
        const size_t width = std::min(most, block.size() - j);
        const int8_t* rows[kLargestWidth];
        for (size_t c = 0; c < width; ++c) rows[c] = candidates.row(block[j + c]);
        product(records.panel(panel), records.steps(), rows, width, dots.data() + j * together * kPanel);
      }
    };
    std::fill_n(totals, block.size(), int128{0});
    std::fill_n(sums, block.size(), 0.0);
    size_t runs = 0;        // whose scores are in `sums`
    int64_t in_places = 0;  // of them, without a record
    for (size_t r = 0; r < records.runs().size(); ++r) {
      const RecordPanels::Run& run = records.runs()[r];
      if (r == 0 || run.panel == first + together) multiply(run.panel);
      tile.record_factors = run.factors.data();
      for (size_t j = 0; j < block.size(); ++j) {
        const int32_t* of_run = dots.data() + (j * together + run.panel - first) * kPanel;
        sums[j] += kernels.score_sum(tile, of_run, kOffset * candidates.sum(block[j]), candidates.factor(block[j]));
      }
      in_places += static_cast<int64_t>(kPanel - run.records);
      const bool last = r + 1 == records.runs().size() || records.runs()[r + 1].weight != run.weight;
      if (++runs < kPanelBlock && !last) continue;
      for (size_t j = 0; j < block.size(); ++j) {
        totals[j] += static_cast<int128>(run.weight) * (static_cast<int64_t>(sums[j]) - filler * in_places);
        sums[j] = 0;
      }
      runs = 0;
      in_places = 0;
    }
    for (size_t j = 0; j < block.size(); ++j) scores[begin + j] = range.total(totals[j], records.denominator());
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
