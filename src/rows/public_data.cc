#include <fmt/format.h>

#include <fstream>
#include <map>
#include <mutex>

#include "base/digest.h"
#include "dppl/embeddings.h"
#include "dppl/invalid_record.h"
#include "rows/check_rows.h"
#include "rows/pool_file.h"
#include "rows/pool_spectrum.h"
#include "rows/public_access.h"

namespace dppl {
namespace {

std::string digest_of_matrix(const Embeddings& embeddings) {
  const std::string shape =
      fmt::format("{} {} {}\n", to_string(embeddings.dtype()), embeddings.rows(), embeddings.dim());
  DigestStream digest;
  digest.add(std::as_bytes(std::span(shape)));
  for (size_t i = 0; i < embeddings.rows(); ++i) digest.add(embeddings.row_bytes(i));
  return to_hex(digest.finish());
}

// The first bytes say what a file is, not its name.
bool is_pool_file(const std::string& path) {
  std::string start(kPoolMagic.size(), '\0');
  std::ifstream(path, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
  return start == kPoolMagic;
}

}  // namespace

struct PublicData::State {
  State(Embeddings matrix, unsigned threads) : embeddings(std::move(matrix)) {
    if (embeddings->rows() == 0) {
      throw InvalidInput(fmt::format("{}: has no rows; a pool needs at least one", embeddings->path()));
    }
    with_public_records([&] { check_rows(*embeddings, std::nullopt, threads); });
  }

  // A pool file has checked its rows; seen as a matrix it holds int8.
  explicit State(std::shared_ptr<const PoolFile> pool, const std::string& path)
      : embeddings(Embeddings::view(
            {.data = pool->rows().row(0), .rows = pool->rows().rows(), .dim = pool->rows().dim(), .dtype = DType::int8},
            pool, path)),
        file(std::move(pool)) {}

  explicit State(PoolDescription description) : described(std::move(description)), digest(described->digest) {}

  const std::optional<Embeddings> embeddings;
  const std::shared_ptr<const PoolFile> file;      // null for a matrix
  const std::optional<PoolDescription> described;  // instead of both
  std::once_flag digested;
  std::string digest;
  std::mutex spectra_mutex;
  std::map<size_t, PoolSpectrum> spectra;  // by the width of average pooling
};

PublicData PublicData::open(const std::string& path, unsigned threads) {
  if (is_pool_file(path)) return PublicData(std::make_shared<State>(PoolFile::open(path, threads), path));
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
  return state_->file ? state_->file->info().input_dim : state_->embeddings->dim();
}

const Embeddings& PublicData::embeddings() const {
  if (state_->embeddings) return *state_->embeddings;
  throw InvalidInput(fmt::format("{}: its rows are elsewhere, and this needs them here; open the pool itself",
                                 state_->described->name));
}

const std::string& PublicData::digest() const {
  std::call_once(state_->digested, [this] {
    if (state_->described) return;
    state_->digest = state_->file ? state_->file->info().digest : digest_of_matrix(*state_->embeddings);
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

const PoolFile* PublicAccess::pool_file() const { return data_.state_->file.get(); }

const PoolSpectrum& PublicAccess::spectrum(size_t average_pool, unsigned threads) const {
  PublicData::State& state = *data_.state_;
  const std::lock_guard lock(state.spectra_mutex);
  const auto known = state.spectra.find(average_pool);
  if (known != state.spectra.end()) return known->second;
  return state.spectra.emplace(average_pool, PoolSpectrum::of(data_, average_pool, threads)).first->second;
}

}  // namespace dppl
