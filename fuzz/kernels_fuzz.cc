#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "kernels/cpu_testing.h"
#include "kernels/dot_kernels.h"
#include "kernels/row_math.h"
#include "rows/integer_row.h"
#include "statistics/pair_scores/score_reference.h"

// The same rows through every instruction set that this machine has and through the plainest code: the same integers,
// and the same floats to the bit.
namespace dppl {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

bool same(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)); }

// Numbers off the front of the input; zeros where it has ended.
class Input {
 public:
  Input(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  template <typename T>
  std::vector<T> take(size_t count) {
    std::vector<T> values(count);
    const size_t bytes = std::min(size_, count * sizeof(T));
    if (bytes > 0) std::memcpy(values.data(), data_, bytes);
    data_ += bytes;
    size_ -= bytes;
    return values;
  }
  size_t below(size_t limit) { return take<uint8_t>(1)[0] % limit; }

 private:
  const uint8_t* data_;
  size_t size_;
};

struct Case {
  size_t dim, records, candidates;
  std::vector<float> rows;  // of both, records first
  ScoreRange range;
  double scale;
  size_t width;                // rows that meet a panel
  std::vector<uint8_t> bytes;  // a panel and rows for each kernel of dot products, `steps` long
  std::vector<int8_t> byte_rows;
  std::vector<int16_t> words, word_rows;
  size_t steps;

  explicit Case(Input& input)
      : dim(1 + input.below(70)),
        records(input.below(40)),
        candidates(1 + input.below(30)),
        range(range_of(input)),
        scale(static_cast<double>(input.take<float>(1)[0])),
        width(1 + input.below(kLargestWidth)),
        steps(input.below(8)) {
    bytes = input.take<uint8_t>(steps * kPanel * kByteStep);
    byte_rows = input.take<int8_t>(width * steps * kByteStep + 3);
    words = input.take<int16_t>(steps * kPanel * kWordStep);
    word_rows = input.take<int16_t>(width * steps * kWordStep);
    // What the kernels ask for: two products in 16 bits, all sums in 32.
    for (int8_t& value : byte_rows) value = static_cast<int8_t>(value / 2);
    for (auto* values : {&words, &word_rows}) {
      for (int16_t& value : *values) value = static_cast<int16_t>(value / 8);
    }
    rows = input.take<float>((records + candidates) * dim);
  }

  std::span<const float> row(size_t i) const { return std::span(rows).subspan(i * dim, dim); }

 private:
  static ScoreRange range_of(Input& input) {
    const std::vector<uint16_t> ends = input.take<uint16_t>(2);
    const Rational low(ends[0] % 2000, 1000);
    return ScoreRange::of(low, std::min<Rational>(low + Rational(1 + ends[1] % 2000, 1000), 2));
  }
};

// What must not depend on the instruction set.
struct Outcome {
  std::vector<int64_t> whole;
  std::vector<double> real;

  template <typename Values>
  void add(const Values& values) {
    for (const auto value : values) add_one(value);
  }
  void add_one(double value) { real.push_back(value); }
  void add_one(float value) { real.push_back(static_cast<double>(value)); }
  void add_one(int64_t value) { whole.push_back(value); }
  void add_one(int32_t value) { whole.push_back(value); }

  bool operator==(const Outcome& other) const {
    return whole == other.whole && std::ranges::equal(real, other.real, same);
  }
};

template <size_t kStep, typename Left, typename Right, typename Kernel>
void try_dots(const Case& one, const std::vector<Left>& panel, const std::vector<Right>& values, const Kernel& kernel) {
  std::vector<const Right*> rows;
  for (size_t c = 0; c < one.width; ++c) rows.push_back(values.data() + c * one.steps * kStep);
  std::vector<int32_t> dots(one.width * kPanel), expected(one.width * kPanel);
  for (size_t i = 0; i < expected.size(); ++i) {
    for (size_t k = 0; k < one.steps * kStep; ++k) {
      expected[i] += panel[(k / kStep * kPanel + i % kPanel) * kStep + k % kStep] * rows[i / kPanel][k];
    }
  }
  const size_t at_once = dot_kernels().width;
  for (size_t c = 0; c < one.width; c += at_once) {
    kernel(panel.data(), one.steps, rows.data() + c, std::min(at_once, one.width - c), dots.data() + c * kPanel);
  }
  require(dots == expected);
}

void try_scores(const Case& one, Outcome& outcome) {
  QuantisedRows records(one.records, one.dim), candidates(one.candidates, one.dim);
  for (size_t i = 0; i < one.records; ++i) outcome.add_one(records.set(i, one.row(i)));
  for (size_t j = 0; j < one.candidates; ++j) outcome.add_one(candidates.set(j, one.row(one.records + j)));
  for (const QuantisedRows* rows : {&records, &candidates}) {
    for (size_t i = 0; i < rows->rows(); ++i) {
      for (size_t k = 0; k < one.dim; ++k) outcome.add_one(int32_t{rows->row(i)[k]});
      outcome.add_one(static_cast<int64_t>(rows->factor(i)));
      outcome.add_one(rows->sum(i));
    }
  }
  const RecordPanels panels(records);
  std::vector<uint32_t> indices(one.candidates);
  for (uint32_t j = 0; j < indices.size(); ++j) indices[j] = j;
  std::vector<int64_t> scores(one.candidates);
  std::vector<int32_t> dots(one.candidates * one.records);
  sum_scores(panels, candidates, indices, one.range, scores);
  dots_with(panels, candidates, 0, one.candidates, dots);
  for (size_t j = 0; j < one.candidates; ++j) {
    int128 total = 0;
    for (size_t i = 0; i < one.records; ++i) {
      int32_t dot = 0;
      for (size_t k = 0; k < one.dim; ++k) dot += records.row(i)[k] * candidates.row(j)[k];
      require(dots[j * one.records + i] == dot);
      total += score_reference(records, i, candidates, j, one.range);
    }
    require(scores[j] == one.range.total(total));
  }
  std::vector<int64_t> sum(one.dim), expected(one.dim);
  const std::vector<double> column(one.rows.begin(), one.rows.begin() + static_cast<std::ptrdiff_t>(one.dim));
  for (size_t i = 0; i < one.records; ++i) {
    const auto factor = static_cast<int32_t>(records.factor(i));
    add_multiple(records.row(i), one.dim, factor, sum.data());
    for (size_t k = 0; k < one.dim; ++k) expected[k] += int64_t{factor} * records.row(i)[k];
    outcome.add_one(byte_dot(records.row(i), column.data(), one.dim));
  }
  require(sum == expected);
}

void try_rows(const Case& one, Outcome& outcome) {
  const size_t count = one.records + one.candidates, dim = one.dim;
  std::vector<float> row(dim);
  std::vector<int32_t> integers(dim);
  std::vector<int64_t> sum(dim), expected(dim);
  for (size_t i = 0; i < count; ++i) {
    const auto x = one.row(i);
    outcome.add_one(sum_of_squares(x.data(), dim));
    outcome.add_one(largest_pair(x.data(), dim));
    scale_row(x.data(), dim, one.scale, row.data());
    outcome.add(row);
    normalise_row(x.data(), dim, row.data());
    outcome.add(row);
    const double clip = std::abs(one.scale) < 1e30 ? std::abs(one.scale) : 0;
    integer_row(x, clip, integers);
    add_integer_row(x, clip, sum);
    for (size_t k = 0; k < dim; ++k) expected[k] += integers[k];
  }
  require(sum == expected);
  outcome.add(sum);

  // Products, one addition after the other: the rows with each other, and with the first of them as a basis.
  const size_t outer = std::min<size_t>(count, 20);
  std::vector<float> projected(count * outer), gram(dim * dim);
  project_rows(one.rows.data(), count, dim, one.rows.data(), outer, projected.data());
  add_gram(one.rows.data(), count, dim, 0, dim, gram.data());
  for (size_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < outer; ++k) {
      float product = 0;
      for (size_t j = 0; j < dim; ++j) product += one.rows[i * dim + j] * one.rows[j * outer + k];
      require(same(static_cast<double>(projected[i * outer + k]), static_cast<double>(product)));
    }
  }
  for (size_t i = 0; i < dim; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      float product = 0;
      for (size_t r = 0; r < count; ++r) product += one.rows[r * dim + i] * one.rows[r * dim + j];
      require(same(static_cast<double>(gram[i * dim + j]), static_cast<double>(product)));
    }
  }
}

}  // namespace
}  // namespace dppl

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dppl;
  Input input(data, size);
  const Case one(input);
  std::optional<Outcome> first;
  on_every_level([&](CpuLevel) {
    const DotKernels& kernels = dot_kernels();
    try_dots<kByteStep>(one, one.bytes, one.byte_rows, kernels.bytes);
    try_dots<kWordStep>(one, one.words, one.word_rows, kernels.words);
    Outcome outcome;
    try_scores(one, outcome);
    try_rows(one, outcome);
    if (!first) first = outcome;
    require(outcome == *first);
  });
  return 0;
}
