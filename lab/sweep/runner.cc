#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <tuple>

#include "base/digest.h"
#include "base/parallel.h"
#include "dppl/error.h"
#include "dppl/experiments.h"
#include "dppl/metrics.h"
#include "lab/constants.h"
#include "lab/sweep/run_method.h"
#include "lab/sweep/run_store.h"
#include "tuning/tune.h"

namespace dppl {
namespace {

struct Place {
  size_t data = 0;
  std::optional<size_t> pool = {};
  uint64_t pool_rows = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

struct Job {
  Place place;
  size_t method = 0;
  SweepSettings settings = {};
  std::optional<double> rho = {};
  std::optional<double> ratio = {};
  uint64_t seed = 0;

  std::string key = {};
  SweepRow row = {};
  SweepMap* map = nullptr;  // to be drawn, instead of a row
  bool done = false;

  std::optional<Settings> own = {};  // ours: as asked, or as tuned
  TransformSpec transform = {};      // of the space to run in
};

std::string text_digest(const std::string& text) { return to_hex(digest_of(text)); }

// A function of seed and method alone, so that neither order nor threads nor other methods matter.
uint64_t random_seed(uint64_t seed, const std::string& method) {
  return std::stoull(text_digest(fmt::format("sweep {} {}", seed, method)).substr(0, 16), nullptr, 16);
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// Runs that differ in budget, k and mechanism alone share their scores.
bool has_scores(const Job& job) {
  if (!job.own) return false;
  return std::holds_alternative<PublicSettings>(*job.own) || std::holds_alternative<PublicKSettings>(*job.own);
}

// auto finds its transform in the middle of the run, and a centre of the records' own moves it.
bool makes_its_transform(const Settings& settings) {
  const auto* mean = std::get_if<MeanSettings>(&settings);
  return is_auto(settings) || (mean != nullptr && mean->center_share > 0);
}

class Sweep {
 public:
  Sweep(const SweepPlan& plan, const SweepOptions& options)
      : plan_(plan), options_(options), store_(options.directory) {
    for (const SweepPlan::Data& data : plan.data) data_.push_back(DataSet::open(data, options.threads));
    for (const SweepPlan::Pool& pool : plan.pools) pools_.push_back(PublicData::open(pool.file, options.threads));
  }

  SweepResults run() {
    results_.title = plan_.title;
    results_.figures = plan_.figures;
    list_jobs();
    const size_t rows = jobs_.size();
    if (!options_.runs_only) list_maps();
    take_over();
    results_.taken_over = taken_over_;
    total_ = static_cast<uint64_t>(std::count_if(jobs_.begin(), jobs_.end(), [](const Job& job) { return !job.done; }));
    run_all();
    results_.done = finished_;
    results_.by_others = taken_over_ - results_.taken_over;
    if (options_.runs_only) return std::move(results_);
    jobs_.resize(rows);
    std::erase_if(results_.maps, [](const SweepMap& map) { return map.points.empty(); });
    count_class_sizes();
    choose_candidates();
    return std::move(results_);
  }

 private:
  // ---- What there is to do, in the order of the results

  std::vector<Place> places_of(size_t data, const SweepPlan::Method& method) const {
    if (!uses_pool(method)) return {{.data = data}};
    std::vector<Place> result;
    for (const size_t pool : plan_.data[data].pools) {
      std::vector<uint64_t> rows = plan_.pools[pool].rows;
      if (rows.empty()) rows = {pools_[pool].size()};
      for (const uint64_t count : rows) result.push_back({data, pool, count});
    }
    return result;
  }

  std::vector<std::optional<double>> budgets_of(const SweepPlan::Method& method) const {
    if (!is_own_method(method.kind) && !find_baseline(method.kind).is_private) return {std::nullopt};
    return {plan_.rho.begin(), plan_.rho.end()};
  }

  void list_jobs() {
    for (size_t d = 0; d < plan_.data.size(); ++d) {
      for (size_t m = 0; m < plan_.methods.size(); ++m) {
        const SweepPlan::Method& method = plan_.methods[m];
        const std::vector<SweepSettings> candidates = candidates_of(method);
        for (const Place& place : places_of(d, method)) {
          for (const std::optional<double>& ratio : plan_.data[d].ratios) {
            for (const std::optional<double>& rho : budgets_of(method)) {
              for (const SweepSettings& settings : candidates) {
                for (const uint64_t seed : plan_.seeds) add_job({place, m, settings, rho, ratio, seed});
              }
            }
          }
        }
      }
    }
  }

  void list_maps() {
    results_.maps.resize(plan_.maps.size());
    for (size_t i = 0; i < plan_.maps.size(); ++i) {
      const SweepPlan::Map& map = plan_.maps[i];
      const SweepPlan::Method& method = plan_.methods[map.method];
      add_job({places_of(0, method).front(), map.method, method.settings, map.rho, map.ratio, plan_.seeds.front()});
      jobs_.back().map = &results_.maps[i];
    }
  }

  void add_job(Job job) {
    const SweepPlan::Method& method = plan_.methods[job.method];
    const SweepPlan::Data& data = plan_.data[job.place.data];
    SweepRow& row = job.row;
    row.data = data.name;
    row.encoder = data.encoder;
    if (job.place.pool) row.pool = plan_.pools[*job.place.pool].name;
    row.pool_rows = job.place.pool_rows;
    row.method = method.name;
    row.kind = method.kind;
    job.transform = transform_of(job.settings);
    const bool open = method.tune_on_pool || (method.kind == "auto" && job.transform == TransformSpec{});
    row.transform = open ? "auto" : job.transform.to_string();
    row.settings = to_json(job.settings).dump();
    row.rho = job.rho;
    row.ratio = job.ratio;
    row.seed = job.seed;
    row.tuned_on_test = !method.grid.empty();
    if (is_own_method(method.kind)) job.own = own_method(method.kind, job.settings);
    job.key = text_digest(nlohmann::json{
        {"version", options_.version},
        {"data", data_[job.place.data]->digest},
        {"pool", job.place.pool ? pools_[*job.place.pool].digest() : ""},
        {"pool rows", job.place.pool_rows},
        {"method", method.name},
        {"kind", method.kind},
        {"settings", row.settings},
        {"tuned on the pool", method.tune_on_pool},
        {"rho", job.rho.value_or(0)},
        {"ratio", job.ratio.value_or(0)},
        {"seed", job.seed}}.dump());
    jobs_.push_back(std::move(job));
  }

  // ---- Sharing: what is finished, here or elsewhere, and what others do now

  void take_over() {
    store_.read_new();
    for (Job& job : jobs_) take_over(job);
  }

  bool take_over(Job& job) {
    if (job.done || job.map != nullptr) return job.done;
    std::optional<SweepRow> known = store_.find(job.key);
    if (!known) return false;
    // Names may have changed.
    known->data = job.row.data;
    known->encoder = job.row.encoder;
    known->pool = job.row.pool;
    known->tuned_on_test = job.row.tuned_on_test;
    job.row = std::move(*known);
    job.done = true;
    ++taken_over_;
    return true;
  }

  // The jobs that are for this process to do now, and the claims that say so. Maps are nobody's: they show records and
  // are kept nowhere.
  struct Share {
    std::vector<Job*> jobs = {};
    std::vector<RunStore::Claim> claims = {};
  };
  Share claim(const std::vector<Job*>& jobs) {
    Share share;
    for (Job* job : jobs) {
      if (job->done) continue;
      if (job->map == nullptr) {
        std::optional<RunStore::Claim> claim = store_.claim(job->key);
        if (!claim) continue;
        share.claims.push_back(std::move(*claim));
      }
      share.jobs.push_back(job);
    }
    // Whoever had a claim before may have finished the run.
    store_.read_new();
    std::erase_if(share.jobs, [&](Job* job) { return take_over(*job); });
    return share;
  }

  void report() {
    if (options_.progress) options_.progress(finished_ + taken_over_ - results_.taken_over, total_);
  }

  // ---- Running: place by place and, within a place, transform by transform, so that little is in memory at once

  // Processes that share a directory begin at different places, so that each is alone in its own for as long as there
  // are enough of them, and come back for what others had claimed and did not finish.
  void run_all() {
    for (;;) {
      std::map<Place, std::vector<Job*>> by_place;
      for (Job& job : jobs_) {
        if (!job.done) by_place[job.place].push_back(&job);
      }
      if (by_place.empty()) return;
      const uint64_t finished = finished_;
      for_each_rotated(by_place, [&](const Place& place, const std::vector<Job*>& jobs) {
        if (may_do_any(jobs)) run_place(place, jobs);
      });
      take_over();
      report();
      if (finished_ > finished) continue;
      if (options_.runs_only) return;
      std::this_thread::sleep_for(kOthersAreWorking);
    }
  }

  template <typename Map, typename Action>
  static void for_each_rotated(const Map& map, Action action) {
    const auto start = std::next(map.begin(), static_cast<ptrdiff_t>(static_cast<size_t>(::getpid()) % map.size()));
    for (auto at = start; at != map.end(); ++at) action(at->first, at->second);
    for (auto at = map.begin(); at != start; ++at) action(at->first, at->second);
  }

  // A pool or a transform is not prepared for nothing.
  bool may_do_any(const std::vector<Job*>& jobs) {
    return std::any_of(jobs.begin(), jobs.end(), [&](Job* job) { return !claim({job}).jobs.empty(); });
  }

  void run_place(const Place& place, const std::vector<Job*>& jobs) {
    const std::shared_ptr<const PoolSet> pool =
        place.pool ? PoolSet::open(pools_[*place.pool], place.pool_rows, options_.threads) : nullptr;
    std::map<std::string, std::vector<Job*>> by_transform;
    std::map<std::pair<size_t, double>, Settings> tuned;  // by method and budget
    for (Job* job : jobs) {
      if (job->done) continue;
      if (plan_.methods[job->method].tune_on_pool) {
        const Share share = claim({job});  // to fail is to finish
        if (share.jobs.empty() || !try_to(*job, [&] { tune(*job, *pool, tuned); })) continue;
      }
      if (job->own && makes_its_transform(*job->own)) job->transform = {};
      by_transform[job->transform.to_string()].push_back(job);
    }
    if (by_transform.empty()) return;
    for_each_rotated(by_transform, [&](const std::string&, const std::vector<Job*>& those) {
      if (!may_do_any(those)) return;
      std::optional<Space> space;
      const bool floats = std::any_of(those.begin(), those.end(), [](const Job* job) { return !job->own; });
      const TransformSpec spec = those.front()->transform;
      std::string failure;
      try {
        space.emplace(data_[place.data], pool, spec, floats, options_.threads);
      } catch (const Error& error) {
        failure = error.what();
      }
      if (space) {
        run_in(*space, those);
      } else {
        const Share share = claim(those);
        for (Job* job : share.jobs) finish(*job, failure);
      }
    });
  }

  void tune(Job& job, const PoolSet& pool, std::map<std::pair<size_t, double>, Settings>& tuned) {
    const std::pair<size_t, double> which(job.method, job.rho.value());
    if (!tuned.contains(which)) {
      const BudgetSpec budget = BudgetSpec::zcdp(exact(which.second));
      const TuneOptions options{.classes = data_[job.place.data]->classes.size(),
                                .method = plan_.methods[job.method].kind,
                                .threads = options_.threads};
      tuned.emplace(which, dppl::tune(*pool.cache, budget, options).settings);
    }
    job.own = tuned.at(which);
    job.transform = dppl::transform_of(*job.own);
  }

  void run_in(const Space& space, const std::vector<Job*>& jobs) {
    using Sharing = std::tuple<std::optional<double>, uint64_t, Rational, Rational>;
    std::vector<std::vector<Job*>> bundles;  // of jobs that one thread does one after another
    std::map<Sharing, size_t> bundle_of;
    for (Job* job : jobs) {
      size_t at = bundles.size();
      if (has_scores(*job)) {
        const auto* one = std::get_if<PublicSettings>(&*job->own);
        const ScoreClip& clip = one != nullptr ? one->clip : std::get<PublicKSettings>(*job->own).clip;
        const uint64_t seed = job->ratio ? job->seed : 0;  // as they come, data are the same at every seed
        at = bundle_of.try_emplace({job->ratio, seed, clip.min, clip.max}, at).first->second;
      }
      if (at == bundles.size()) bundles.emplace_back();
      bundles[at].push_back(job);
    }
    parallel_blocks(bundles.size(), 1, options_.threads, [&](size_t i, size_t, unsigned) {
      const auto scores = std::make_shared<std::vector<std::vector<int64_t>>>();
      const Share share = claim(bundles[i]);
      for (Job* job : share.jobs) {
        if (try_to(*job, [&] { run_job(*job, space, share.jobs.size() > 1 ? scores : nullptr); })) finish(*job, "");
      }
    });
  }

  template <typename Action>
  bool try_to(Job& job, Action action) {
    try {
      action();
      return true;
    } catch (const IoError&) {
      throw;  // a full disk is no result
    } catch (const std::exception& error) {
      finish(job, error.what());
      return false;
    }
  }

  void run_job(Job& job, const Space& space, std::shared_ptr<std::vector<std::vector<int64_t>>> scores) {
    const DataSet& data = space.data();
    const std::vector<uint64_t> rows = data.rows_at(job.ratio, job.seed);
    const SweepPlan::Method& method = plan_.methods[job.method];
    const MethodRun run{.space = space,
                        .kind = method.kind,
                        .settings = job.settings,
                        .own = job.own,
                        .rho = job.rho,
                        .rows = rows,
                        .random_seed = random_seed(job.seed, method.name),
                        .scores = std::move(scores)};
    const MethodResult result = run_method(run);
    if (job.map != nullptr) {
      *job.map = draw_map(run, result);
      job.map->method = method.name;
      job.map->rho = job.rho.value();
      job.map->ratio = job.ratio;
      return;
    }
    const Evaluation evaluation =
        evaluate(result.predicted, data.test_labels, data.classes, count_labels(data.labels_of(rows), data.classes));
    SweepRow& row = job.row;
    row.train_rows = rows.size();
    row.accuracy = evaluation.accuracy;
    row.balanced = evaluation.balanced_accuracy;
    row.minority = evaluation.minority_accuracy.value_or(0);
    row.seconds = result.seconds;
    row.rho_spent = result.rho_spent;
    row.trace = result.trace;
    nlohmann::ordered_json settings = to_json(job.settings);
    settings["used"] = result.used;
    row.settings = settings.dump();
  }

  void finish(Job& job, const std::string& failure) {
    job.row.status = failure.empty() ? "ok" : "failed";
    job.row.error = one_line(failure);
    if (job.map == nullptr) store_.append(job.key, job.row);
    job.done = true;
    ++finished_;
    report();
  }

  // ---- Results

  void count_class_sizes() {
    const DataSet& data = *data_.front();
    for (const std::optional<double>& ratio : plan_.data.front().ratios) {
      const std::vector<uint64_t> rows = data.rows_at(ratio, plan_.seeds.front());
      results_.class_sizes[ratio] = count_labels(data.labels_of(rows), data.classes);
    }
  }

  // Of a grid the candidate with the best balanced accuracy over all seeds. Candidates follow one another.
  void choose_candidates() {
    const size_t seeds = plan_.seeds.size();
    for (size_t begin = 0; begin < jobs_.size();) {
      const size_t candidates = std::max<size_t>(plan_.methods[jobs_[begin].method].grid.size(), 1);
      size_t best = 0;
      double best_sum = -1;
      for (size_t c = 0; c < candidates; ++c) {
        double sum = 0;
        for (size_t s = 0; s < seeds; ++s) {
          const SweepRow& row = jobs_[begin + c * seeds + s].row;
          if (row.status == "ok") sum += row.balanced;
        }
        if (sum > best_sum) best = c, best_sum = sum;
      }
      for (size_t s = 0; s < seeds; ++s) results_.rows.push_back(std::move(jobs_[begin + best * seeds + s].row));
      begin += candidates * seeds;
    }
  }

  const SweepPlan& plan_;
  const SweepOptions& options_;
  RunStore store_;
  std::vector<std::shared_ptr<const DataSet>> data_;
  std::vector<PublicData> pools_;
  std::vector<Job> jobs_;
  SweepResults results_;
  std::atomic<uint64_t> finished_{0}, taken_over_{0};  // here, and by others
  uint64_t total_ = 0;
};

}  // namespace

SweepResults run_sweep(const SweepPlan& plan, const SweepOptions& options) { return Sweep(plan, options).run(); }

}  // namespace dppl
