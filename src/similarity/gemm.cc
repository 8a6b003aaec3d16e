#include "similarity/gemm.h"

#include <oneapi/dnnl/dnnl.h>

#include "dppl/error.h"

// Of GNU OpenMP, under oneDNN; not from <omp.h>, which another compiler may bring its own of.
extern "C" void omp_set_num_threads(int threads);

namespace dppl {

void multiply_rows(const float* rows, size_t count, size_t inner, const float* columns, size_t outer, float* out) {
  // oneDNN makes its code for the processor at hand; Debian's OpenBLAS takes some new ones for very old ones. Our own
  // threads split the work.
  thread_local const bool single_threaded = (omp_set_num_threads(1), true);
  static_cast<void>(single_threaded);
  const auto m = static_cast<dnnl_dim_t>(count), n = static_cast<dnnl_dim_t>(outer), k = static_cast<dnnl_dim_t>(inner);
  if (dnnl_sgemm('N', 'T', m, n, k, 1.0f, rows, k, columns, k, 0.0f, out, n) != dnnl_success) {
    throw Error("matrix product: oneDNN refused it");
  }
}

}  // namespace dppl
