#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dppl/budget.h"
#include "dppl/embeddings.h"
#include "dppl/settings.h"

namespace dppl {

// By what scores are multiplied before softmax makes probabilities of them, where a model does not tell. Cosines lie in
// [−1, 1], and softmax of such numbers is never sure of anything: of ten classes the best could have at most 45%. 15 is
// what softmax regression on unit rows starts with in src/estimation/refinement.cc; there the best can have 1 − 1e-12.
// Inner products of models with a second moment or gradient steps can be larger; with 15 such a model is too sure.
inline constexpr double kDefaultScoreScale = 15;
// A model that tells a larger one is refused: scores are float32, whose last digits would decide then.
inline constexpr double kMaxScoreScale = 1e6;

// A classifier that can be published, and what it cost.
struct Model {
  static constexpr uint32_t kVersion = 1;

  uint32_t version = kVersion;
  Settings settings = {};   // as used: `auto` is resolved
  Rational size_share = 0;  // of the budget, for noisy class sizes by which `auto` chose them
  ClassSet classes = ClassSet::numbered(1);
  PublicTransform transform;

  BudgetSpec budget = {};    // what was asked
  Guarantee guarantee = {};  // what was spent; guarantee.is_private is false for seeded runs

  struct PoolIdentity {
    std::string digest;
    uint64_t rows = 0, dim = 0;
    friend bool operator==(const PoolIdentity&, const PoolIdentity&) = default;
  };
  std::optional<PoolIdentity> pool = {};  // where one was used
  // What was publicly known about classes and used; costs nothing.
  struct KnowledgeUse {
    uint64_t classes = 0;   // of which something is known
    uint64_t examples = 0;  // labelled public rows
    uint64_t vectors = 0;   // classes with a vector of their own
    std::string digest;
    friend bool operator==(const KnowledgeUse&, const KnowledgeUse&) = default;
  };
  std::optional<KnowledgeUse> knowledge = {};
  std::string ledger_entry = {};  // digest of the reservation in the ledger; empty without one

  // Per class `prototypes_per_class` rows of transform.output_dim() values, class after class.
  std::vector<float> prototypes = {};
  size_t prototypes_per_class = 1;
  // Class probabilities are softmax(score_scale × score); 0: not told, as in older files: kDefaultScoreScale.
  double score_scale = 0;

  // What the mechanism released, where the prototypes are computed from it. mean: integer noisy sums (classes ×
  // output_dim) in units of `unit`, with the noise variance in the same units squared. public: indices into the pool.
  std::vector<int64_t> sums = {};
  double unit = 0;
  Rational noise_variance = 0;
  std::vector<uint64_t> pool_indices = {};

  size_t input_dim() const { return transform.input_dim(); }
  size_t output_dim() const { return transform.output_dim(); }
  // Made of public knowledge alone: its budget and its guarantee are 0.
  bool public_only() const { return budget.amount == 0; }
  double used_score_scale() const { return score_scale == 0 ? kDefaultScoreScale : score_scale; }
};

class AtomicFile;
class Ledger;
class Reservation;

// Writes one model file, versioned and checksummed: aside, synced and renamed, so that it appears complete or not at
// all. Made before the budget is spent, because it claims the space: a full disk or a missing directory is found while
// it costs nothing.
class ModelWriter {
 public:
  explicit ModelWriter(const std::string& path, uint64_t expected_bytes = 0);
  ~ModelWriter();
  // Once. The whole model is on the disk then, but nobody can see it: the file has no name until publish(), and goes
  // away without. Returns the file's BLAKE2b-256 digest in hex.
  std::string write(const Model& model);
  void publish();
  // Both at once, for a model that no ledger knows.
  std::string commit(const Model& model);
  // Both, and in between the ledger records what was released. What the ledger refuses never appears as a file.
  std::string commit(const Model& model, Ledger& ledger, const Reservation& reservation);

 private:
  std::unique_ptr<AtomicFile> file_;
};

// The same in one call.
std::string save_model(const Model& model, const std::string& path);
std::string serialise_model(const Model& model);  // the same bytes
std::string model_digest(const Model& model);     // of these: BLAKE2b-256 in hex
// Throws InvalidInput for a file that is truncated, changed, not a model, or of a newer version.
Model load_model(const std::string& path);
Model parse_model(std::string_view bytes, const std::string& name);

// For a privacy officer, in words; and for machines (one JSON object).
std::string describe_model(const Model& model);
std::string model_json(const Model& model);

}  // namespace dppl
