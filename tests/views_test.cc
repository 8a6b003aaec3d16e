// Rows in the caller's memory, beside the same rows in a file: the same values, digests, refusals and released bytes.
#include <gtest/gtest.h>

#include <cstring>

#include "base/float16.h"
#include "dppl/error.h"
#include "dppl/fit.h"
#include "support/expect_error.h"
#include "support/expect_private_error.h"
#include "support/npy_bytes.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::expect_private_error;
using testing::npy_bytes;
using testing::raw;
using testing::TempDir;

constexpr size_t kRows = 60, kDim = 7;

struct Type {
  DType dtype;
  const char* descr;
};
constexpr Type kTypes[] = {{DType::float16, "<f2"},
                           {DType::float32, "<f4"},
                           {DType::float64, "<f8"},
                           {DType::int8, "|i1"},
                           {DType::uint8, "|u1"}};

template <typename T, typename Convert>
std::string stored(const std::vector<int>& values, Convert convert) {
  std::vector<T> result;
  for (const int value : values) result.push_back(convert(value));
  return raw(result);
}

// kRows × kDim values as they lie in memory; whole numbers, so that every type holds them.
std::string matrix(DType dtype) {
  std::vector<int> values(kRows * kDim);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>((i * i + i / kDim) % 101);
  switch (dtype) {
    case DType::float16:
      return stored<uint16_t>(values, [](int value) { return float_to_half(static_cast<float>(value) / 8); });
    case DType::float32:
      return stored<float>(values, [](int value) { return static_cast<float>(value) / 3 - 5; });
    case DType::float64:
      return stored<double>(values, [](int value) { return value / 3.0 - 5; });
    case DType::int8:
      return stored<int8_t>(values, [](int value) { return static_cast<int8_t>(value - 50); });
    default:
      return stored<uint8_t>(values, [](int value) { return static_cast<uint8_t>(2 * value); });
  }
}

// The same rows with bytes between them that are nobody's business, beginning at an odd address.
class Strided {
 public:
  Strided(const std::string& packed, DType dtype) : row_(kDim * item_size(dtype)), dtype_(dtype) {
    memory_.assign(1 + kRows * stride(), '\xff');
    for (size_t i = 0; i < kRows; ++i) std::memcpy(memory_.data() + 1 + i * stride(), packed.data() + i * row_, row_);
  }
  MatrixView view() const {
    return {.data = memory_.data() + 1,
            .rows = kRows,
            .dim = kDim,
            .dtype = dtype_,
            .row_stride = static_cast<ptrdiff_t>(stride()),
            .value_stride = static_cast<ptrdiff_t>(item_size(dtype_))};
  }

 private:
  size_t stride() const { return row_ + 5; }
  size_t row_;
  DType dtype_;
  std::string memory_;
};

std::vector<int64_t> some_labels() {
  std::vector<int64_t> labels(kRows);
  for (size_t i = 0; i < kRows; ++i) labels[i] = static_cast<int64_t>(i % 3);
  return labels;
}

std::string released(const PrivateData& data, const PublicData& pool, const Settings& settings) {
  SeededRandom random(3);
  return serialise_model(fit(data, pool, {.settings = settings}, Budget::unledgered(BudgetSpec::zcdp(1)), random));
}

TEST(Views, ReleaseTheSameBytesAsFiles) {
  const TempDir dir;
  const auto labels = some_labels();
  const std::string labels_file = dir.file("y.npy", npy_bytes("<i8", "(60,)", raw(labels)));
  const ClassSet classes = ClassSet::numbered(3);
  for (const Type& type : kTypes) {
    SCOPED_TRACE(to_string(type.dtype));
    const std::string bytes = matrix(type.dtype);
    const std::string file = dir.file("x.npy", npy_bytes(type.descr, "(60, 7)", bytes));
    const MatrixView packed{.data = bytes.data(), .rows = kRows, .dim = kDim, .dtype = type.dtype};
    const Strided strided(bytes, type.dtype);
    const PublicData pool = PublicData::open(file);
    for (const MatrixView& view : {packed, strided.view()}) {
      const PublicData same = PublicData::view(view);
      EXPECT_EQ(same.digest(), pool.digest());
      for (const Settings& settings : {Settings(MeanSettings{}), Settings(PublicSettings{})}) {
        EXPECT_EQ(released(PrivateData::view(view, labels, classes), same, settings),
                  released(PrivateData::open({file, labels_file}, classes), pool, settings));
      }
    }
  }
}

TEST(Views, HoldTheSameValuesAndCopyNone) {
  const std::string bytes = matrix(DType::float32);
  const MatrixView packed{.data = bytes.data(), .rows = kRows, .dim = kDim, .dtype = DType::float32};
  const Strided apart(bytes, DType::float32);
  const Embeddings first = Embeddings::view(packed), second = Embeddings::view(apart.view(), nullptr, "mine");
  EXPECT_EQ(second.path(), "mine");
  EXPECT_EQ(static_cast<const void*>(first.row_bytes(0).data()), bytes.data());
  EXPECT_EQ(static_cast<const void*>(second.row_bytes(0).data()), apart.view().data);
  std::vector<float> a(kDim), b(kDim);
  for (size_t i = 0; i < kRows; ++i) {
    first.row(i, a);
    second.row(i, b);
    EXPECT_EQ(a, b);
    std::memcpy(b.data(), bytes.data() + i * kDim * sizeof(float), kDim * sizeof(float));
    EXPECT_EQ(a, b);
  }
}

TEST(Views, AnOwnerLivesAsLongAsItsRowsAreUsed) {
  auto owner = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3, 4});
  const std::weak_ptr<const std::vector<float>> watched = owner;
  const MatrixView rows = MatrixView::of(*owner, 2);
  std::optional<PublicData> pool = PublicData::view(rows, owner);
  std::optional<PrivateData> data = PrivateData::view(rows, std::vector<int64_t>{0, 1}, ClassSet::numbered(2), owner);
  owner.reset();
  EXPECT_FALSE(watched.expired());
  pool.reset();
  EXPECT_FALSE(watched.expired());
  data.reset();
  EXPECT_TRUE(watched.expired());
}

TEST(Views, RowsThatCannotBeReadAsTheyLieAreRefused) {
  const std::vector<float> values(12, 1.0f);
  const MatrixView good = MatrixView::of(values, 4);
  EXPECT_EQ(good.rows, 3u);
  const auto refused = [&](const std::function<void(MatrixView&)>& change, const char* words) {
    MatrixView bad = good;
    change(bad);
    expect_error<InvalidInput>([&] { Embeddings::view(bad, nullptr, "mine"); }, {"mine: ", words});
    expect_error<InvalidInput>([&] { PublicData::view(bad); }, {words});
    expect_error<InvalidInput>([&] { PrivateData::view(bad, std::vector<int64_t>(3), ClassSet::numbered(1)); },
                               {words});
  };
  refused([](MatrixView& m) { m.value_stride = 12; }, "side by side");  // the transpose of 4 × 3
  refused([](MatrixView& m) { m.value_stride = -4; }, "side by side");
  refused([](MatrixView& m) { m.row_stride = 12; }, "overlap");
  refused([](MatrixView& m) { m.row_stride = 0; }, "overlap");
  refused([](MatrixView& m) { m.row_stride = -16; }, "backwards");
  refused([](MatrixView& m) { m.dtype = DType::int32; }, "holds int32");
  refused([](MatrixView& m) { m.data = nullptr; }, "no memory");
  MatrixView transposed = good;
  transposed.value_stride = 12;  // the number of records is private
  expect_private_error([&] { Embeddings::view(transposed); }, {"side by side"}, {"12 bytes"});
  expect_error<InvalidInput>([&] { PublicData::view(transposed); }, {"12 bytes"});
  // Where there is one row, or one value in each, strides do not matter.
  MatrixView one = good;
  one.rows = 1;
  one.row_stride = -16;
  EXPECT_EQ(PublicData::view(one).size(), 1u);
  const MatrixView column{.data = values.data(), .rows = 3, .dim = 1, .row_stride = 16, .value_stride = 99};
  EXPECT_EQ(PublicData::view(column).size(), 3u);
}

TEST(Views, RecordsAreCheckedAsInFiles) {
  std::vector<float> values{1, 2, 0, 0, 3, 4};
  const std::vector<int64_t> labels{0, 1, 1};
  const ClassSet classes = ClassSet::numbered(2);
  const auto data = [&](std::span<const int64_t> y) { PrivateData::view(MatrixView::of(values, 2), y, classes); };
  expect_private_error([&] { data(labels); }, {"embeddings in memory", "zeros"}, {"row 1"});
  expect_error<InvalidInput>([&] { PublicData::view(MatrixView::of(values, 2)); }, {"zeros", "row 1"});
  values[3] = std::numeric_limits<float>::infinity();
  expect_private_error([&] { data(labels); }, {"not finite"}, {"inf"});
  values[3] = 1;
  data(labels);
  expect_private_error([&] { data(std::vector<int64_t>{0, 1}); }, {"labels in memory", "not as many"}, {"2 labels"});
  expect_private_error([&] { data(std::vector<int64_t>{0, 1, 2}); }, {"labels in memory"}, {"2"});
  expect_private_error([&] { MatrixView::of(values, 4); }, {"rows of 4"}, {"6 values"});
  PrivateData::view({.rows = 0, .dim = 2}, {}, classes);
  expect_error<InvalidInput>([&] { PublicData::view({.rows = 0, .dim = 2}); }, {"no rows"});
}

}  // namespace
}  // namespace dppl
