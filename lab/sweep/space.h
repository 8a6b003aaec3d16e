#pragma once

#include <memory>
#include <optional>

#include "dppl/sweep.h"
#include "tuning/pool_cache.h"

// The rows of an experiment, as many runs share them. On data that the experimenter may see.
namespace dppl {

struct DataSet {
  ClassSet classes;
  Embeddings train, test;
  std::vector<int64_t> train_labels, test_labels;
  std::string digest;  // of all of it

  // Training rows, ascending: of the long tail, or all of them.
  std::vector<uint64_t> rows_at(std::optional<double> ratio, uint64_t seed) const;
  std::vector<int64_t> labels_of(std::span<const uint64_t> rows) const;  // of training rows

  static std::shared_ptr<const DataSet> open(const SweepPlan::Data& data, unsigned threads);
};

// A pool or the first rows of it, with what fits on it share.
struct PoolSet {
  PublicData rows;
  std::shared_ptr<PoolCache> cache;

  static std::shared_ptr<const PoolSet> of(PublicData rows, unsigned threads);
  static std::shared_ptr<const PoolSet> open(const PublicData& whole, uint64_t rows, unsigned threads);
};

// All rows after one transform, of unit length. Where the transform needs no pool, fits take the rows as they are.
class Space {
 public:
  // floats: baselines will ask for values.
  Space(std::shared_ptr<const DataSet> data, std::shared_ptr<const PoolSet> pool, const TransformSpec& transform,
        bool floats, unsigned threads);

  const DataSet& data() const { return *data_; }
  // Whether the rows are transformed already; if not, a fit does it.
  bool transformed() const { return transformed_; }
  Embeddings train() const { return view(train_, data_->train); }
  Embeddings test() const { return view(test_, data_->test); }
  const PoolSet* pool() const { return pool_.get(); }

  // For baselines.
  size_t dim() const { return dim_; }
  std::span<const float> train_values() const { return *train_; }
  std::span<const float> test_values() const { return *test_; }
  std::span<const float> pool_values() const;

 private:
  using Values = std::shared_ptr<const std::vector<float>>;
  Embeddings view(const Values& values, const Embeddings& stored) const;

  std::shared_ptr<const DataSet> data_;
  std::shared_ptr<const PoolSet> pool_;  // in this space where transformed
  std::shared_ptr<const PoolSet> unit_pool_;
  bool transformed_;
  size_t dim_;
  Values train_, test_;
};

}  // namespace dppl
