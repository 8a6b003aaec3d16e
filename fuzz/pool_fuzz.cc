#include <cstdlib>
#include <cstring>

#include "dppl/error.h"
#include "rows/pool_file.h"
#include "tests/support/sealed_pool.h"

// Any file is refused with InvalidInput or keeps what the kernels and the scores' bound rely on. The digests are put
// right first, so that what lies behind them is reached.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::make_shared<std::vector<std::byte>>(size);
  if (size > 0) std::memcpy(bytes->data(), data, size);
  if (size >= dppl::kPoolMagic.size()) std::memcpy(bytes->data(), dppl::kPoolMagic.data(), dppl::kPoolMagic.size());
  dppl::testing::seal_pool_file(*bytes);
  try {
    const auto pool = dppl::PoolFile::parse(bytes, *bytes, "fuzz.pool", 1);
    const dppl::PoolInfo& info = pool->info();
    if (info.rows > info.total_rows || info.first_row > info.total_rows - info.rows) std::abort();
    for (size_t i = 0; i < pool->rows().rows(); ++i) {
      int64_t squares = 0;
      for (size_t k = 0; k < pool->rows().dim(); ++k) squares += pool->rows().row(i)[k] * pool->rows().row(i)[k];
      const int64_t factor = pool->rows().factor(i);
      if (squares > 0 && factor > 0 && factor * factor > dppl::kCosineOne / squares) std::abort();
    }
  } catch (const dppl::InvalidInput&) {
  }
  return 0;
}
