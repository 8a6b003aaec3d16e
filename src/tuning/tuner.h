#pragma once

#include <memory>
#include <optional>

#include "dppl/tune.h"
#include "estimation/pool_posterior.h"
#include "tuning/pseudo_classes.h"

namespace dppl {

// The part of tuning that depends on the pool and the number of classes alone, and then, for any budget, the choice.
class Tuner {
 public:
  // As tune().
  Tuner(const PublicData& pool, const TuneOptions& options);

  // records: expected in all classes together, 0: TuneOptions::kRecordsPerClass of each; ratio: as in TuneOptions.
  Tuning tune(const BudgetSpec& budget, uint64_t records, double ratio);

 private:
  struct Space {
    TransformSpec transform;
    PseudoClasses::Rows rows;
    std::optional<PoolPrior> prior;  // once sums are simulated
  };
  static PublicTransform common_space(const PublicData& pool, const TuneOptions& options);
  Space& space(const TransformSpec& transform);
  std::vector<TransformSpec> transforms() const;
  std::vector<TransformSpec> selection_transforms(bool sums_too) const;
  // Data sets to simulate: so many of each ratio.
  struct DataSets {
    uint64_t records;
    std::vector<double> ratios;
    size_t repeats;
  };
  void try_all(std::vector<Trial>& trials, const BudgetSpec& budget, const DataSets& sets);
  // Gradient steps after sums, in spaces like the best one of sums.
  std::vector<Trial> refinements(const TransformSpec& best, const BudgetSpec& budget, DataSets sets);

  TuneOptions options_;
  bool stored_;  // the pool's rows are after a transform already
  PublicTransform common_;
  PseudoClasses classes_;
  std::vector<std::unique_ptr<Space>> spaces_;
};

}  // namespace dppl
