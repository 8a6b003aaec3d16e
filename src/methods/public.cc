#include <algorithm>
#include <cmath>

#include "estimation/known_directions.h"
#include "mechanisms/laplace_noise.h"
#include "methods/constants.h"
#include "methods/method.h"
#include "random/discrete_laplace.h"
#include "rows/class_rows.h"
#include "rows/pool_shards.h"
#include "rows/public_access.h"
#include "selection/remote_shards.h"
#include "selection/select.h"
#include "statistics/pair_scores/person_weights.h"

// DPPL-Public and DPPL-PublicK: per class one or K rows of the public pool, chosen by how near the class's records they
// are. A record adds to every candidate's score an integer between 0 and ScoreRange::top() that depends on the record
// and the candidate alone (src/statistics/pair_scores).
namespace dppl {
namespace {

// What differs between the two: how rows are chosen.
struct Choosing {
  const ScoreClip& clip;
  SelectionMechanism mechanism;
  size_t k;
  bool joint;
};

// What is publicly known of classes, as records that are always there: a public base measure, by which the scores of
// candidates begin (src/statistics/pair_scores/proof.md).
class ExampleRows {
 public:
  ExampleRows(const ClassKnowledge& knowledge, const PublicTransform& transform, double epsilon)
      : directions_(known_directions(knowledge, transform).directions),
        dim_(transform.output_dim()),
        copies_(static_cast<size_t>(std::clamp(std::ceil(kNatsOfExamples / epsilon), 1.0, kMostCopies))) {}

  // Puts behind the records of class c what is publicly known of it, each of full weight.
  void add_to(WeightedRows& records, size_t c) const {
    const auto direction = std::span(directions_).subspan(c * dim_, dim_);
    if (std::ranges::all_of(direction, [](double value) { return value == 0; })) return;
    const std::vector<float> row(direction.begin(), direction.end());
    QuantisedRows known(1, dim_);
    known.set(0, row);
    records.add_public(known, copies_);
  }

 private:
  std::vector<double> directions_;
  size_t dim_, copies_;
};

// With people: how the costs of a person's classes add up under this budget, and what all classes cost together when
// one of them costs `one` (statistics/pair_scores/proof.md).
AddUp add_up(const BudgetSpec& budget) { return budget.notion == Notion::zcdp ? AddUp::squares : AddUp::sum; }

Guarantee of_all_classes(const Guarantee& one, const BudgetSpec& budget) {
  if (budget.relation != Relation::add_remove_person || add_up(budget) == AddUp::sum) return one;
  Guarantee all = Guarantee::zcdp(*one.rho, one.relation);
  all.is_private = one.is_private;
  return all;
}

// The rows of the pool as they are compared, wherever they are, and as a model holds them.
class ComparedPool {
 public:
  explicit ComparedPool(const FitInput& input) : input_(input), transform_(input.records.transform) {
    if (input.options.remote) return;
    const Embeddings& embeddings = input.pool->embeddings();
    const PoolShards* shards = PublicAccess(*input.pool).shards();
    // The rows of pool files are ready, unless another transform was asked for.
    if (shards != nullptr && shards->info().transform == transform_.spec()) {
      shards_ = shards;
      std::vector<QuantisedRows> rows;
      for (const auto& file : shards->files()) rows.push_back(file->rows());
      rows_.emplace(std::move(rows));
    } else if (input.shared.pool) {
      rows_ = input.shared.pool->quantised(transform_);
    } else {
      rows_ = quantise(embeddings, embeddings.rows(), transform_, input.records.threads, [](size_t i) { return i; });
    }
  }

  std::vector<Choice> select(const SelectionTask& task, std::vector<Budget> budgets, Random& random) const {
    if (!rows_) return select_rows(task, *input_.options.remote, std::move(budgets), random);
    return select_rows(task, *rows_, std::move(budgets), random);
  }

  std::vector<float> values(std::span<const uint64_t> chosen) const {
    if (!rows_) return RemoteShards(*input_.options.remote).rows(chosen);
    std::vector<float> values;
    if (shards_ == nullptr) {
      TransformedBlock block(transform_);
      const auto rows = block.load(input_.pool->embeddings(), chosen.size(), [&](size_t i) { return chosen[i]; });
      values.assign(rows.begin(), rows.end());
      return values;
    }
    for (const uint64_t i : chosen) {
      const size_t s = rows_->find(i);
      const int8_t* row = rows_->shard(s).row(i - rows_->first(s));
      for (size_t k = 0; k < rows_->dim(); ++k) values.push_back(static_cast<float>(row[k]) * shards_->scale(i));
    }
    return values;
  }

 private:
  const FitInput& input_;
  const PublicTransform& transform_;
  const PoolShards* shards_ = nullptr;  // whose rows are compared as they are
  std::optional<ShardedRows> rows_;     // empty where they are on other machines
};

Prototypes choose_rows(const Choosing& choosing, const FitInput& input, CheckedBudget budget, Random& random) {
  const Records& records = input.records;
  const ComparedPool pool(input);
  const auto of_class = records_by_class(records.access, records.classes);
  const ScoreRange range = ScoreRange::of(choosing.clip.min, choosing.clip.max);
  std::optional<ExampleRows> examples;
  Budget whole = std::move(budget).take();
  const BudgetSpec spec = whole.spec();
  std::optional<PersonWeights> weights;
  if (input.relation() == Relation::add_remove_person) {
    weights.emplace(records.access, records.classes, range, add_up(spec), records.class_sizes);
  }
  const auto all_weights = weights ? weights->of(records.access) : std::span<const int64_t>();
  const auto records_of = [&](size_t c, unsigned threads) {
    WeightedRows own(quantise(records.access.embeddings(), of_class[c].size(), records.transform, threads,
                              [&](size_t i) { return records.access.row_of(of_class[c][i]); }));
    if (weights) {
      own.denominator = PersonWeights::kDenominator;
      for (const size_t i : of_class[c]) own.weights.push_back(all_weights[i]);
    }
    if (examples) examples->add_to(own, c);
    return own;
  };
  if (input.options.knowledge) {
    const Rational epsilon =
        choosing.mechanism == SelectionMechanism::exponential ? whole.bounded_range_epsilon() : whole.pure_epsilon();
    examples.emplace(*input.options.knowledge, records.transform, epsilon.get_d());
  }
  const SelectionTask task{.classes = records.classes,
                           .records = records_of,
                           .range = range,
                           .mechanism = choosing.mechanism,
                           .k = choosing.k,
                           .joint = choosing.joint,
                           .threads = records.threads,
                           .scores = examples || weights ? nullptr : input.shared.scores.get(),
                           .progress = input.options.progress};
  Prototypes result;
  result.per_class = choosing.k;
  std::optional<Guarantee> total;
  for (const Choice& choice : pool.select(task, Budget::parallel(std::move(whole), records.classes), random)) {
    total = total ? compose_disjoint(*total, choice.guarantee) : choice.guarantee;
    result.pool_indices.insert(result.pool_indices.end(), choice.value.begin(), choice.value.end());
  }
  result.guarantee = of_all_classes(*total, spec);
  result.values = pool.values(result.pool_indices);
  return result;
}

void require_pool(std::string_view method, const std::optional<PublicData>& pool) {
  if (!pool) throw InvalidSetting("method", fmt::format("{} chooses from a public pool; give one", method));
}

}  // namespace

Guarantee price_of(const PublicSettings& settings, const BudgetSpec& spec) {
  const Budget budget = Budget::unledgered(spec);
  if (settings.mechanism == SelectionMechanism::exponential) {
    return of_all_classes(Guarantee::of_bounded_range(budget.bounded_range_epsilon(), spec.relation), spec);
  }
  const Rational epsilon = budget.pure_epsilon();
  if (settings.mechanism == SelectionMechanism::laplace) {
    const int64_t per_record = ScoreRange::of(settings.clip.min, settings.clip.max).per_record();
    check_drawable(spec, [&] { DiscreteLaplace(laplace_scale(per_record, epsilon)); });
  }
  return of_all_classes(Guarantee::pure(epsilon, spec.relation), spec);
}

Guarantee price_of(const PublicKSettings&, const BudgetSpec& spec) {
  return of_all_classes(Guarantee::of_bounded_range(Budget::unledgered(spec).bounded_range_epsilon(), spec.relation),
                        spec);
}

bool uses_pool(const PublicSettings& settings, const std::optional<PublicData>& pool) {
  require_pool(settings.kMethod, pool);
  return true;
}

bool uses_pool(const PublicKSettings& settings, const std::optional<PublicData>& pool) {
  require_pool(settings.kMethod, pool);
  if (settings.k > pool->size()) {
    throw InvalidSetting("k", fmt::format("{} prototypes from a pool of {} rows; use a smaller K or a larger pool",
                                          settings.k, pool->size()));
  }
  return true;
}

Prototypes fit_prototypes(const PublicSettings& settings, const FitInput& input, CheckedBudget budget, Random& random) {
  return choose_rows({settings.clip, settings.mechanism, 1, false}, input, std::move(budget), random);
}

Prototypes fit_prototypes(const PublicKSettings& settings, const FitInput& input, CheckedBudget budget,
                          Random& random) {
  return choose_rows({settings.clip, SelectionMechanism::exponential, settings.k, true}, input, std::move(budget),
                     random);
}

}  // namespace dppl
