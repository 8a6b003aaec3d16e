#include "selection/near_candidates.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "kernels/dot_kernels.h"
#include "random/categorical.h"
#include "random/constants.h"
#include "selection/constants.h"

namespace dppl {
namespace {

constexpr size_t kFirst = kFirstLargest + 1;
constexpr float kNone = -std::numeric_limits<float>::infinity(), kAll = std::numeric_limits<float>::infinity();

// The words of a column as step·bytes + r. For a row p of factor f, e = f·⟨bytes, p⟩ is computed as a float, which is
// off by less than 2^-22 of ‖bytes‖·2^kFactorBits (three roundings of 2^-24); so v = f·⟨words, p⟩ lies within `error` =
// (‖r‖ + step·‖bytes‖·2^-22)·2^kFactorBits of step·e, by Cauchy and Schwarz and f·‖p‖ <= 2^kFactorBits.
struct HeadColumn {
  explicit HeadColumn(std::span<const int16_t> words) : bytes(words.size()) {
    int largest = 1;
    for (const int16_t word : words) largest = std::max(largest, std::abs(int{word}));
    step = (largest + 126) / 127;
    double squares = 0, residual = 0;
    for (size_t k = 0; k < words.size(); ++k) {
      const auto byte = static_cast<int>(std::nearbyint(static_cast<double>(words[k]) / step));
      const int rest = words[k] - step * byte;
      bytes[k] = static_cast<int8_t>(byte);
      squares += static_cast<double>(byte) * byte;
      residual += static_cast<double>(rest) * rest;
    }
    error = (std::sqrt(residual) + step * std::sqrt(squares) * 0x1p-22) * (1 + 0x1p-20) * std::ldexp(1, kFactorBits);
  }

  std::vector<int8_t> bytes;
  int step;
  double error;
};

// Where a class cuts. Bounds rise with v, by 1 for every `one`; that of the candidate with the largest v is at most
// `width` above its score, which a draw knows before it weighs, or a better one. So what lies `gap` and `width` below
// it is negligible then; and what lies below the bounds that are told before is not asked for.
struct Cut {
  double one, below_first;
  HeadColumn head;

  // From the largest e and the one of rank kFirst: what v has to exceed.
  double operator()(float largest, float last) const {
    return std::min(head.step * double{largest} - head.error - below_first,
                    head.step * double{last} - head.error - 2 * one);
  }
  float threshold(double cut) const {
    return std::nextafter(static_cast<float>((cut - head.error) / head.step), kNone);
  }
};

// What a thread has seen of a class.
struct Seen {
  std::vector<uint32_t> indices;
  std::vector<float> values;
  size_t room = 8 * kFirst;
  bool too_many = false;

  void append(uint32_t index, float value) {
    indices.push_back(index);
    values.push_back(value);
  }
  void append(const Seen& other) {
    indices.insert(indices.end(), other.indices.begin(), other.indices.end());
    values.insert(values.end(), other.values.begin(), other.values.end());
  }

  // Above which v it keeps, and lets go of the rest; nothing where there are few.
  std::optional<double> cut(const Cut& where) {
    if (values.size() < kFirst) return std::nullopt;
    std::vector<float> order = values;
    std::ranges::nth_element(order, order.begin() + (kFirst - 1), std::greater<>());
    const double cut = where(*std::max_element(order.begin(), order.begin() + kFirst), order[kFirst - 1]);
    const float threshold = where.threshold(cut);
    size_t kept = 0;
    for (size_t j = 0; j < values.size(); ++j) {
      if (values[j] < threshold) continue;
      indices[kept] = indices[j];
      values[kept++] = values[j];
    }
    indices.resize(kept);
    values.resize(kept);
    return cut;
  }
};

class NearSearch {
 public:
  NearSearch(std::span<const NearTask> classes, std::vector<size_t> worth, std::vector<Cut> cuts,
             const ShardedRows& pool, unsigned threads)
      : classes_(classes),
        worth_(std::move(worth)),
        cuts_(std::move(cuts)),
        pool_(pool),
        threads_(std::max(threads, 1u)),
        most_(std::max(pool.rows() / kNearPart, 4 * kFirst)),
        panels_(pack()),
        seen_(threads_, std::vector<Seen>(worth_.size())),
        thresholds_(threads_) {
    for (std::vector<float>& own : thresholds_) {
      own.assign(panels_.panels() * kPanel, kAll);
      std::fill_n(own.begin(), worth_.size(), kNone);
    }
  }

  std::vector<std::optional<NearCandidates>> run() {
    parallel_blocks(pool_.rows(), kRowBlock, threads_, [&](size_t begin, size_t end, unsigned thread) {
      pool_.each_piece(begin, end, [&](size_t s, size_t from, size_t to) {
        for (size_t block = from; block < to; block += kHeadRows) {
          scan(pool_.shard(s), pool_.first(s), block, std::min(block + kHeadRows, to), thread);
        }
        pool_.shard(s).give_back(from, to);
      });
    });
    std::vector<std::optional<NearCandidates>> found(classes_.size());
    parallel_blocks(worth_.size(), 1, threads_, [&](size_t j, size_t, unsigned) { found[worth_[j]] = finish(j); });
    return found;
  }

 private:
  RecordPanels pack() const {
    std::vector<int8_t> bytes;
    for (const Cut& cut : cuts_) bytes.insert(bytes.end(), cut.head.bytes.begin(), cut.head.bytes.end());
    const std::vector<uint32_t> factors(cuts_.size());
    const std::vector<int32_t> sums(cuts_.size());
    return RecordPanels(QuantisedRows(nullptr, pool_.dim(), bytes.data(), factors, sums));
  }

  void scan(const QuantisedRows& rows, size_t first, size_t begin, size_t end, unsigned thread) {
    const DotKernels& kernels = dot_kernels();
    int32_t tile[2 * kLargestWidth * kPanel];
    for (size_t p = 0; p < panels_.panels();) {
      const size_t panels = std::min<size_t>(2, panels_.panels() - p);
      const auto [multiply, most] = kernels.bytes_of(panels);
      for (size_t i = begin; i < end; i += most) {
        const size_t width = std::min(most, end - i);
        const int8_t* pointers[kLargestWidth];
        for (size_t c = 0; c < width; ++c) pointers[c] = rows.row(i + c);
        multiply(panels_.panel(p), panels_.steps(), pointers, width, tile);
        for (size_t c = 0; c < width; ++c) {
          for (size_t k = 0; k < panels; ++k) {
            look_at(kernels, tile + (c * panels + k) * kPanel, p + k, rows, first, i + c, thread);
          }
        }
      }
      p += panels;
    }
  }

  // The products of a panel with row i of a shard.
  void look_at(const DotKernels& kernels, const int32_t* dots, size_t panel, const QuantisedRows& rows, size_t first,
               size_t i, unsigned thread) {
    float* thresholds = thresholds_[thread].data() + panel * kPanel;
    const int32_t offset = RecordPanels::kOffset * rows.sum(i);
    const auto factor = static_cast<float>(rows.factor(i));
    for (uint32_t bits = kernels.at_least(dots, offset, factor, thresholds); bits != 0; bits &= bits - 1) {
      const auto r = static_cast<size_t>(std::countr_zero(bits));
      Seen& one = seen_[thread][panel * kPanel + r];
      one.append(static_cast<uint32_t>(first + i), static_cast<float>(dots[r] - offset) * factor);
      if (one.values.size() >= one.room) thresholds[r] = raise(one, cuts_[panel * kPanel + r]);
    }
  }

  // The threshold from here on.
  float raise(Seen& seen, const Cut& where) const {
    const double cut = *seen.cut(where);
    if (seen.values.size() > most_) {
      seen = Seen{};
      seen.too_many = true;
      return kAll;
    }
    seen.room = std::max(seen.room, 2 * seen.values.size());
    return where.threshold(cut);
  }

  std::optional<NearCandidates> finish(size_t j) {
    Seen all;
    for (std::vector<Seen>& of_thread : seen_) {
      if (of_thread[j].too_many) return std::nullopt;
      all.append(std::exchange(of_thread[j], {}));
    }
    const std::optional<double> cut = all.cut(cuts_[j]);
    if (!cut || all.values.size() > most_) return std::nullopt;
    const NearTask& task = classes_[worth_[j]];
    NearCandidates near;
    near.indices = std::move(all.indices);
    std::ranges::sort(near.indices);
    near.upper.resize(near.indices.size());
    task.scores.bound(task.column, near.indices, near.upper);
    const ScoreBound bound = task.scores.score_bound(task.column);
    near.rest = bound(*cut / task.column.scale);
    // Bounds stop rising at the largest score that there can be.
    std::vector<int64_t> order = near.upper;
    std::ranges::nth_element(order, order.begin() + (kFirst - 1), std::greater<>());
    const int64_t largest = *std::max_element(order.begin(), order.begin() + kFirst);
    const auto gap = static_cast<int64_t>(*ExpWeights(task.unit).negligible_gap());
    if (order[kFirst - 1] <= near.rest || largest - bound.width() - gap < near.rest) return std::nullopt;
    return near;
  }

  const std::span<const NearTask> classes_;
  const std::vector<size_t> worth_;
  const std::vector<Cut> cuts_;
  const ShardedRows& pool_;
  const unsigned threads_;
  const size_t most_;
  const RecordPanels panels_;
  std::vector<std::vector<Seen>> seen_;         // by thread and class
  std::vector<std::vector<float>> thresholds_;  // of these
};

}  // namespace

std::vector<std::optional<NearCandidates>> find_near(std::span<const NearTask> classes, const ShardedRows& pool,
                                                     unsigned threads) {
  std::vector<size_t> worth;
  std::vector<Cut> cuts;
  for (size_t j = 0; j < classes.size(); ++j) {
    const auto& [scores, column, unit] = classes[j];
    const ScoreBound bound = scores.score_bound(column);
    const std::optional<uint64_t> gap = ExpWeights(unit).negligible_gap();
    // Where even the largest and the smallest score are no such gap apart, all candidates count.
    if (!gap || *gap >= static_cast<uint64_t>(bound.most())) continue;
    worth.push_back(j);
    const double one = bound.unit() * column.scale;
    const double below = static_cast<double>(*gap) + static_cast<double>(bound.width()) + 2;
    cuts.push_back({one, below * one, HeadColumn(column.words)});
  }
  if (worth.empty()) return std::vector<std::optional<NearCandidates>>(classes.size());
  return NearSearch(classes, std::move(worth), std::move(cuts), pool, threads).run();
}

}  // namespace dppl
