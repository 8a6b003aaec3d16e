#pragma once

#include "dppl/transform.h"

namespace dppl {

class PoolShards;
struct PoolSpectrum;

// A pool file without its rows, which are elsewhere.
struct PoolDescription {
  std::string name, digest;
  size_t rows;
  PublicTransform transform;
};

// What a public pool has beside its rows, for the library's own code.
class PublicAccess {
 public:
  explicit PublicAccess(const PublicData& data) : data_(data) {}

  // A pool of which no more is known; who asks for its rows is refused with InvalidInput.
  static PublicData describe(PoolDescription description);
  const PoolDescription* description() const;  // null where the rows are here
  const std::string& name() const;             // for messages

  // A pool of rows that are not checked yet, for who checks them on the way.
  static PublicData unchecked(Embeddings rows);

  const PoolShards* shards() const;  // null for a matrix
  // The principal directions of a matrix, computed the first time (seconds for a thousand dimensions) and kept as long
  // as the pool. Safe from any thread.
  const PoolSpectrum& spectrum(size_t average_pool, unsigned threads) const;

 private:
  const PublicData& data_;
};

}  // namespace dppl
