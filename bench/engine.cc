// One run of the selection engine on files, for bench/engine.py: times and work as one JSON object. The records are
// treated as not private: how many scores were needed depends on them.
#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "dppl/shards.h"
#include "kernels/cpu.h"
#include "peaks.h"
#include "rows/class_rows.h"
#include "rows/pool_shards.h"
#include "rows/public_access.h"
#include "selection/class_scores.h"
#include "selection/select.h"

namespace {

using namespace dppl;

class Clock {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct Options {
  std::string pool, train, labels, rows, clip_min = "0", clip_max = "2", epsilon = "1";
  size_t classes = 0, limit = 0, all_pairs = 0;
  unsigned threads = 2;
  int repeats = 1;
  bool remote = false;
};

QuantisedRows first_rows(const QuantisedRows& rows, size_t limit) {
  const size_t count = limit == 0 ? rows.rows() : std::min(limit, rows.rows());
  return {nullptr, rows.dim(), rows.row(0), rows.factors().first(count), rows.sums().first(count)};
}

// Not getrusage: its peak is inherited from the process that started this one.
double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

nlohmann::json run(const Options& options) {
  Clock clock;
  nlohmann::json out{{"cpu", to_string(cpu_level())}};
  const PublicData pool_data = PublicData::open(options.pool, options.threads);
  const PoolShards* shards = PublicAccess(pool_data).shards();
  if (shards == nullptr || shards->files().size() > 1) throw std::runtime_error("engine: give one pool file");
  const QuantisedRows pool = first_rows(shards->files().front()->rows(), options.limit);
  const PrivateData data = PrivateData::open({options.train, options.labels, options.rows},
                                             ClassSet::numbered(options.classes), options.threads);
  out["open"] = clock.lap();

  const PublicTransform& transform = shards->transform();
  const PrivateAccess access(data);
  const auto records = records_by_class(access, options.classes);
  const auto members = [&](size_t c, unsigned threads) {
    return quantise(access.embeddings(), records[c].size(), transform, threads,
                    [&](size_t i) { return access.row_of(records[c][i]); });
  };
  const ScoreRange range =
      ScoreRange::of(parse_rational(options.clip_min, "--clip-min"), parse_rational(options.clip_max, "--clip-max"));
  if (options.all_pairs > 0) {
    std::vector<uint32_t> some(std::min(options.all_pairs, pool.rows()));
    std::iota(some.begin(), some.end(), uint32_t{0});
    std::vector<int64_t> scores(some.size());
    double pairs = 0, seconds = 0;
    for (size_t c = 0; c < options.classes; ++c) {
      const QuantisedRows rows = members(c, options.threads);
      const ClassScores one(rows, summarise(rows, false, options.threads), pool, range, options.threads);
      clock.lap();
      one.evaluate(some, scores);
      seconds += clock.lap();
      pairs += static_cast<double>(rows.rows()) * static_cast<double>(some.size());
    }
    out["seconds"] = seconds;
    out["gmacs"] = pairs * static_cast<double>(pool.dim()) / seconds / 1e9;
  } else {
    const SelectionTask task{
        .classes = options.classes, .records = members, .range = range, .threads = options.threads};
    std::vector<double> times, remote_times;
    SelectionWork work;
    // The same rows as the one shard of a pool on other machines, all in this process.
    std::optional<SelectionShard> shard;
    std::optional<RemotePool> remote;
    double moved = 0, rounds = 0;
    if (options.remote) {
      shard.emplace(options.pool, 0, options.threads);
      remote.emplace(std::vector<RemotePool::Shard>{{shard->digest(), shard->rows()}}, shard->digest(), "bench",
                     [&](std::span<const ShardRequest> requests) {
                       const std::string message = requests[0].message();
                       std::vector<std::string> replies{shard->answer(message)};
                       moved += static_cast<double>(message.size() + replies[0].size());
                       ++rounds;
                       return replies;
                     });
    }
    for (int i = 0; i < options.repeats; ++i) {
      SeededRandom random(static_cast<uint64_t>(i) + 1);
      const auto budgets = [&] {
        return Budget::parallel(Budget::unledgered(BudgetSpec::pure(parse_rational(options.epsilon, "--epsilon"))),
                                options.classes);
      };
      if (remote) {
        SeededRandom again(static_cast<uint64_t>(i) + 1);
        moved = rounds = 0;
        clock.lap();
        select_rows(task, *remote, budgets(), again);
        remote_times.push_back(clock.lap());
      }
      clock.lap();
      select_rows(task, pool, budgets(), random, &work);
      times.push_back(clock.lap());
    }
    out["seconds"] = *std::min_element(times.begin(), times.end());
    if (remote) {
      const double best = *std::min_element(remote_times.begin(), remote_times.end());
      out["remote"] = {{"seconds", best},
                       {"ratio", best / out["seconds"].get<double>()},
                       {"requests", rounds},
                       {"megabytes", moved / 1e6}};
    }
    out["evaluated"] = static_cast<double>(work.evaluated) / static_cast<double>(std::max<uint64_t>(work.pairs, 1));
  }
  out["peak_mb"] = peak_megabytes();
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"The selection engine, timed", "bench_engine"};
  app.require_subcommand(1);
  unsigned peak_threads = 2;
  CLI::App* peaks = app.add_subcommand("peaks", "What the machine can do at most");
  peaks->add_option("--threads", peak_threads);
  CLI::App* select = app.add_subcommand("select", "Choose rows of a pool file");
  select->add_option("--pool", options.pool)->required();
  select->add_option("--train", options.train)->required();
  select->add_option("--labels", options.labels)->required();
  select->add_option("--classes", options.classes)->required();
  select->add_option("--rows", options.rows);
  select->add_option("--clip-min", options.clip_min);
  select->add_option("--clip-max", options.clip_max);
  select->add_option("--epsilon", options.epsilon);
  select->add_option("--limit", options.limit, "Only the first rows of the pool");
  select->add_option("--all-pairs", options.all_pairs, "Instead: all scores of the first so many candidates");
  select->add_flag("--remote", options.remote, "And again, with all rows as one shard of a pool on other machines");
  select->add_option("--threads", options.threads);
  select->add_option("--repeats", options.repeats, "The best of so many");
  try {
    app.parse(argc, argv);
    if (*peaks) {
      const auto measured = bench::measure_peaks(peak_threads);
      std::cout << nlohmann::json{{"cpu", to_string(cpu_level())},
                                  {"bytes", measured.bytes},
                                  {"words", measured.words},
                                  {"floats", measured.floats},
                                  {"read", measured.read}}
                << "\n";
    } else {
      std::cout << run(options) << "\n";
    }
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::exception& error) {
    std::cerr << "bench_engine: " << error.what() << "\n";
    return 1;
  }
}
