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

namespace dppl {
namespace {

std::string digest_of_matrix(const Embeddings& embeddings) {
  const std::string shape =
      fmt::format("{} {} {}\n", to_string(embeddings.dtype()), embeddings.rows(), embeddings.dim());
  return to_hex(digest_of(std::as_bytes(std::span(shape)), embeddings.bytes()));
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
    if (embeddings.rows() == 0) {
      throw InvalidInput(fmt::format("{}: has no rows; a pool needs at least one", embeddings.path()));
    }
    with_public_records([&] { check_rows(embeddings, std::nullopt, threads); });
  }

  // A pool file has checked its rows; seen as a matrix it holds int8.
  explicit State(std::shared_ptr<const PoolFile> pool, const std::string& path)
      : embeddings(Embeddings::view(pool, reinterpret_cast<const std::byte*>(pool->rows().row(0)), pool->rows().rows(),
                                    pool->rows().dim(), DType::int8, path)),
        file(std::move(pool)) {}

  const Embeddings embeddings;
  const std::shared_ptr<const PoolFile> file;  // null for a matrix
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
  Embeddings embeddings = with_public_records([&] { return Embeddings::from_memory(std::move(values), dim); });
  return PublicData(std::make_shared<State>(std::move(embeddings), threads));
}

size_t PublicData::size() const { return state_->embeddings.rows(); }
size_t PublicData::dim() const { return state_->file ? state_->file->info().input_dim : state_->embeddings.dim(); }
const Embeddings& PublicData::embeddings() const { return state_->embeddings; }
const PoolFile* PublicData::pool_file() const { return state_->file.get(); }

const std::string& PublicData::digest() const {
  std::call_once(state_->digested, [this] {
    state_->digest = state_->file ? state_->file->info().digest : digest_of_matrix(state_->embeddings);
  });
  return state_->digest;
}

const PoolSpectrum& PublicData::spectrum(size_t average_pool, unsigned threads) const {
  const std::lock_guard lock(state_->spectra_mutex);
  const auto known = state_->spectra.find(average_pool);
  if (known != state_->spectra.end()) return known->second;
  return state_->spectra.emplace(average_pool, PoolSpectrum::of(*this, average_pool, threads)).first->second;
}

}  // namespace dppl
