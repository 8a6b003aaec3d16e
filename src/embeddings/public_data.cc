#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sodium.h>

#include <array>
#include <mutex>

#include "dppl/embeddings.h"
#include "dppl/error.h"
#include "embeddings/check_rows.h"

namespace dppl {
namespace {

std::string digest_of(const Embeddings& embeddings) {
  const std::string shape =
      fmt::format("{} {} {}\n", to_string(embeddings.dtype()), embeddings.rows(), embeddings.dim());
  if (sodium_init() < 0) throw IoError("digest: libsodium cannot start");
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, crypto_generichash_BYTES);
  const auto add = [&state](std::span<const std::byte> bytes) {
    crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  };
  add(std::as_bytes(std::span(shape)));
  add(embeddings.bytes());
  std::array<unsigned char, crypto_generichash_BYTES> hash;
  static_assert(hash.size() == 32);
  crypto_generichash_final(&state, hash.data(), hash.size());
  return fmt::format("{:02x}", fmt::join(hash, ""));
}

}  // namespace

struct PublicData::State {
  State(Embeddings matrix, unsigned threads) : embeddings(std::move(matrix)) {
    if (embeddings.rows() == 0) {
      throw InvalidInput(fmt::format("{}: has no rows; a pool needs at least one", embeddings.path()));
    }
    check_rows(embeddings, std::nullopt, threads);
  }

  const Embeddings embeddings;
  std::once_flag digested;
  std::string digest;
};

PublicData PublicData::open(const std::string& path, unsigned threads) {
  return PublicData(std::make_shared<State>(Embeddings::open(path), threads));
}

PublicData PublicData::from_memory(std::vector<float> values, size_t dim, unsigned threads) {
  return PublicData(std::make_shared<State>(Embeddings::from_memory(std::move(values), dim), threads));
}

size_t PublicData::size() const { return state_->embeddings.rows(); }
size_t PublicData::dim() const { return state_->embeddings.dim(); }
const Embeddings& PublicData::embeddings() const { return state_->embeddings; }

const std::string& PublicData::digest() const {
  std::call_once(state_->digested, [this] { state_->digest = digest_of(state_->embeddings); });
  return state_->digest;
}

}  // namespace dppl
