#include "kernels/gemm.h"

#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <vector>

#include "dppl/error.h"

// Of GNU OpenMP, under oneDNN; not from <omp.h>, which another compiler may bring its own of.
extern "C" void omp_set_num_threads(int threads);

namespace dppl {

namespace {

dnnl_dim_t whole(size_t value) { return static_cast<dnnl_dim_t>(value); }

void use_one_thread() {
  // oneDNN makes its code for the processor at hand; Debian's OpenBLAS takes some new ones for very old ones. Our own
  // threads split the work.
  thread_local const bool single_threaded = (omp_set_num_threads(1), true);
  static_cast<void>(single_threaded);
}

void check(dnnl_status_t status) {
  if (status != dnnl_success) throw Error("matrix product: oneDNN refused it");
}

// oneDNN takes rows in tiles of 4, 6, 8 or 24, depending on the processor, and rounds those of a tile that is not full
// differently.
constexpr size_t kWholeTiles = 24;

void multiply_tiles(const float* rows, size_t count, size_t inner, const float* columns, size_t outer, float* out) {
  check(dnnl_sgemm('N', 'T', whole(count), whole(outer), whole(inner), 1.0f, rows, whole(inner), columns, whole(inner),
                   0.0f, out, whole(outer)));
}

}  // namespace

void multiply_rows(const float* rows, size_t count, size_t inner, const float* columns, size_t outer, float* out) {
  use_one_thread();
  const size_t rest = count % kWholeTiles, full = count - rest;
  if (full > 0) multiply_tiles(rows, full, inner, columns, outer, out);
  if (rest == 0) return;
  thread_local std::vector<float> last, products;
  last.assign(kWholeTiles * inner, 0);
  products.resize(kWholeTiles * outer);
  std::copy_n(rows + full * inner, rest * inner, last.begin());
  multiply_tiles(last.data(), kWholeTiles, inner, columns, outer, products.data());
  std::copy_n(products.begin(), rest * outer, out + full * outer);
}

void multiply_columns(const float* left, size_t inner, size_t count, const float* right, size_t outer, float* out) {
  use_one_thread();
  check(dnnl_sgemm('T', 'N', whole(count), whole(outer), whole(inner), 1.0f, left, whole(count), right, whole(outer),
                   0.0f, out, whole(outer)));
}

}  // namespace dppl
