#include <fmt/format.h>

#include <map>
#include <mutex>

#include "dppl/embeddings.h"
#include "dppl/invalid_record.h"
#include "rows/check_rows.h"
#include "rows/constants.h"
#include "rows/matrix_digest.h"
#include "rows/pool_shards.h"
#include "rows/pool_spectrum.h"
#include "rows/public_access.h"

namespace dppl {
namespace {

std::string digest_of_matrix(const Embeddings& embeddings) {
  MatrixDigest digest(embeddings.dtype(), embeddings.rows(), embeddings.dim());
  for (size_t i = 0; i < embeddings.rows(); ++i) {
    digest.add(embeddings.row_bytes(i));
    if (i % kDigestedRows == kDigestedRows - 1) embeddings.give_back(i + 1 - kDigestedRows, i + 1);
  }
  return to_hex(digest.finish());
}

}  // namespace

struct PublicData::State {
  explicit State(Embeddings matrix) : embeddings(std::move(matrix)) {
    if (embeddings->rows() == 0) {
      throw InvalidInput(fmt::format("{}: has no rows; a pool needs at least one", embeddings->path()));
    }
  }

  State(Embeddings matrix, unsigned threads) : State(std::move(matrix)) {
    with_public_records([&] { check_rows(*embeddings, std::nullopt, threads); });
  }

  // Pool files have checked their rows.
  State(std::shared_ptr<const PoolShards> pool, const std::string& path)
      : embeddings(rows_of(*pool, path)), shards(std::move(pool)) {}

  // Seen as a matrix they hold int8.
  static Embeddings rows_of(const PoolShards& pool, const std::string& path) {
    std::vector<Embeddings> parts;
    for (const std::shared_ptr<const PoolFile>& file : pool.files()) {
      const QuantisedRows& rows = file->rows();
      parts.push_back(Embeddings::view(
          {.data = rows.row(0), .rows = rows.rows(), .dim = rows.dim(), .dtype = DType::int8}, file, path));
      parts.back().file_ = file->file();
    }
    return parts.size() == 1 ? std::move(parts.front()) : Embeddings::joined(std::move(parts), path);
  }

  explicit State(PoolDescription description) : described(std::move(description)), digest(described->digest) {}

  const std::optional<Embeddings> embeddings;
  const std::shared_ptr<const PoolShards> shards;  // null for a matrix
  const std::optional<PoolDescription> described;  // instead of both
  std::once_flag digested;
  std::string digest;
  std::mutex spectra_mutex;
  std::map<size_t, PoolSpectrum> spectra;  // by the width of average pooling
};

PublicData PublicData::open(const std::string& path, unsigned threads) {
  if (PoolShards::is_prepared(path)) return PublicData(std::make_shared<State>(PoolShards::open(path, threads), path));
  return PublicData(std::make_shared<State>(with_public_records([&] { return Embeddings::open(path); }), threads));
}

PublicData PublicData::from_memory(std::vector<float> values, size_t dim, unsigned threads) {
  auto owner = std::make_shared<const std::vector<float>>(std::move(values));
  const MatrixView rows = with_public_records([&] { return MatrixView::of(*owner, dim); });
  return view(rows, std::move(owner), threads);
}

PublicData PublicData::view(const MatrixView& rows, std::shared_ptr<const void> owner, unsigned threads) {
  Embeddings embeddings = with_public_records([&] { return Embeddings::view(rows, std::move(owner)); });
  return PublicData(std::make_shared<State>(std::move(embeddings), threads));
}

size_t PublicData::size() const { return state_->described ? state_->described->rows : state_->embeddings->rows(); }

size_t PublicData::dim() const {
  if (state_->described) return state_->described->transform.input_dim();
  return state_->shards ? state_->shards->info().input_dim : state_->embeddings->dim();
}

const Embeddings& PublicData::embeddings() const {
  if (state_->embeddings) return *state_->embeddings;
  throw InvalidInput(fmt::format("{}: its rows are elsewhere, and this needs them here; open the pool itself",
                                 state_->described->name));
}

const std::string& PublicData::digest() const {
  std::call_once(state_->digested, [this] {
    if (state_->described) return;
    state_->digest = state_->shards ? state_->shards->info().digest : digest_of_matrix(*state_->embeddings);
  });
  return state_->digest;
}

PublicData PublicAccess::describe(PoolDescription description) {
  return PublicData(std::make_shared<PublicData::State>(std::move(description)));
}

const PoolDescription* PublicAccess::description() const {
  return data_.state_->described ? &*data_.state_->described : nullptr;
}

const std::string& PublicAccess::name() const {
  return data_.state_->described ? data_.state_->described->name : data_.state_->embeddings->path();
}

PublicData PublicAccess::unchecked(Embeddings rows) {
  return PublicData(std::make_shared<PublicData::State>(std::move(rows)));
}

const PoolShards* PublicAccess::shards() const { return data_.state_->shards.get(); }

const PoolSpectrum& PublicAccess::spectrum(size_t average_pool, unsigned threads) const {
  PublicData::State& state = *data_.state_;
  const std::lock_guard lock(state.spectra_mutex);
  const auto known = state.spectra.find(average_pool);
  if (known != state.spectra.end()) return known->second;
  return state.spectra.emplace(average_pool, PoolSpectrum::of(data_, average_pool, threads)).first->second;
}

}  // namespace dppl
