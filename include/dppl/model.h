#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dppl/budget.h"
#include "dppl/embeddings.h"
#include "dppl/transform.h"

namespace dppl {

enum class Method { mean, public_one, public_k, automatic };
enum class Distance { cosine, euclidean, dot };
enum class Selection { exponential, permute_and_flip, laplace };
enum class Estimator { noisy_sum, naive, coinpress };

// The words of the command line: "mean", "public", "public-k", "auto"; "cosine", "euclidean", "dot"; "exponential",
// "permute-and-flip", "laplace"; "noisy-sum", "naive", "coinpress". The parsers throw InvalidInput naming the value and
// what is known.
std::string_view to_string(Method method);
std::string_view to_string(Distance distance);
std::string_view to_string(Selection selection);
std::string_view to_string(Estimator estimator);
Method parse_method(std::string_view text);
Distance parse_distance(std::string_view text);
Selection parse_selection(std::string_view text);
Estimator parse_estimator(std::string_view text);

// A clip range of this width is a threshold: but for cosines within it, a record scores 0 or everything.
inline const Rational kThresholdWidth{1, 1000000};

// Everything that shapes a fit besides data, pool and budget. All of it is public and ends up in the model.
struct Hyperparameters {
  Method method = Method::automatic;
  TransformSpec transform;
  Distance distance = Distance::cosine;

  // mean
  Estimator estimator = Estimator::noisy_sum;
  std::optional<Rational> norm;  // rows are clipped to this 2-norm; empty: scaled to unit length
  Rational count_share{1, 10};   // of the budget, for the noisy count that Euclidean distance needs
  unsigned coinpress_steps = 3;
  // What is made of the noisy sums with the pool's help (estimation/pool_posterior.h); costs nothing.
  bool shrink = false;
  Rational spread = 1;  // how far class means are expected from the pool, against their own length
  Rational lift = 0;    // how much an uncertain class is moved forward: divided by its certainty to this power
  // Of the budget, for a second moment of all records, by which prototypes are compared
  // (statistics/second_moment/second_moment.h).
  Rational metric_share = 0;
  // Gradient steps from there (estimation/refinement.h): how many, their share of the budget, how much noise they may
  // bring along against what they begin with, and how much small classes are moved forward afterwards: divided by their
  // size to this power.
  unsigned refine_steps = 0;
  Rational refine_share = 0, refine_rate = 0, balance = 0;

  // Of the budget, for a noisy number of all records, from which the rest is tuned; --method auto only.
  Rational size_share = 0;

  // public, public-k
  Selection selection = Selection::exponential;
  Rational clip_min = 0, clip_max = 2;  // of 1 + cosine
  size_t k = 1;

  friend bool operator==(const Hyperparameters&, const Hyperparameters&) = default;
};

// A classifier that can be published, and what it cost.
struct Model {
  static constexpr uint32_t kVersion = 1;

  uint32_t version = kVersion;
  Hyperparameters hyperparameters = {};  // as used: `automatic` is resolved
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
  std::string ledger_entry = {};          // digest of the reservation in the ledger; empty without one

  // Per class `prototypes_per_class` rows of transform.output_dim() values, class after class.
  std::vector<float> prototypes = {};
  size_t prototypes_per_class = 1;

  // What the mechanism released, where the prototypes are computed from it. mean: integer noisy sums (classes ×
  // output_dim) in units of `unit`, with the noise variance in the same units squared; Euclidean also has noisy counts.
  // public: indices into the pool.
  std::vector<int64_t> sums = {};
  std::vector<int64_t> counts = {};
  double unit = 0;
  Rational noise_variance = 0;
  std::vector<uint64_t> pool_indices = {};

  size_t input_dim() const { return transform.input_dim(); }
  size_t output_dim() const { return transform.output_dim(); }
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
// Throws InvalidInput for a file that is truncated, changed, not a model, or of a newer version.
Model load_model(const std::string& path);
Model parse_model(std::string_view bytes, const std::string& name);

// For a privacy officer, in words; and for machines (one JSON object).
std::string describe_model(const Model& model);
std::string model_json(const Model& model);

}  // namespace dppl
