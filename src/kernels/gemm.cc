#include "kernels/gemm.h"

#include <oneapi/dnnl/dnnl.h>

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

}  // namespace

void multiply_rows(const float* rows, size_t count, size_t inner, const float* columns, size_t outer, float* out) {
  use_one_thread();
  check(dnnl_sgemm('N', 'T', whole(count), whole(outer), whole(inner), 1.0f, rows, whole(inner), columns, whole(inner),
                   0.0f, out, whole(outer)));
}

void multiply_columns(const float* left, size_t inner, size_t count, const float* right, size_t outer, float* out) {
  use_one_thread();
  check(dnnl_sgemm('T', 'N', whole(count), whole(outer), whole(inner), 1.0f, left, whole(count), right, whole(outer),
                   0.0f, out, whole(outer)));
}

}  // namespace dppl
