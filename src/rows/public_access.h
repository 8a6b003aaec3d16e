#pragma once

#include "dppl/embeddings.h"

namespace dppl {

class PoolFile;
struct PoolSpectrum;

// What a public pool has beside its rows, for the library's own code.
class PublicAccess {
 public:
  explicit PublicAccess(const PublicData& data) : data_(data) {}

  const PoolFile* pool_file() const;  // null for a matrix
  // The principal directions of a matrix, computed the first time (seconds for a thousand dimensions) and kept as long
  // as the pool. Safe from any thread.
  const PoolSpectrum& spectrum(size_t average_pool, unsigned threads) const;

 private:
  const PublicData& data_;
};

}  // namespace dppl
