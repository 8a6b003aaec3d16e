// One run of the selection engine on files, for bench/engine.py: times and work as one JSON object. The records are
// treated as not private: how many scores were needed depends on them.
#include <chrono>
#include <iostream>
#include <numeric>

#include <nlohmann/json.hpp>

#include "embeddings/class_rows.h"
#include "numbers/parallel.h"
#include "selection/class_scores.h"
#include "selection/select.h"
#include "similarity/cpu.h"

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

}  // namespace

// pool train labels classes clip_min clip_max epsilon threads all-pairs(0|N: candidates a class) [rows]
int main(int argc, char** argv) try {
  if (argc < 10)
    throw std::runtime_error("engine POOL TRAIN LABELS CLASSES CLIP_MIN CLIP_MAX EPSILON THREADS ALL_PAIRS [ROWS]");
  const auto threads = static_cast<unsigned>(std::stoul(argv[8]));
  const auto rows = argc > 10 ? std::optional<std::string>(argv[10]) : std::nullopt;
  const size_t forced = std::stoul(argv[9]);
  const ClassSet classes = ClassSet::parse(argv[4]);
  Clock clock;
  const PublicData pool_data = PublicData::open(argv[1], threads);
  const PrivateData data = PrivateData::open(argv[2], argv[3], classes, rows, threads);
  const double open_seconds = clock.lap();
  const PublicTransform transform = PublicTransform::compute(TransformSpec{}, data.dim(), &pool_data, threads);
  const QuantisedRows pool =
      quantise(pool_data.embeddings(), pool_data.size(), transform, threads, [](size_t i) { return i; });
  const double pool_seconds = clock.lap();

  const PrivateAccess access(data);
  const auto records = records_by_class(access, classes.size());
  std::vector<QuantisedRows> members;
  for (const auto& one : records) {
    members.push_back(
        quantise(access.embeddings(), one.size(), transform, threads, [&](size_t i) { return access.row_of(one[i]); }));
  }
  const double quantise_seconds = clock.lap();
  const ScoreRange range = ScoreRange::of(parse_rational(argv[5], "clip-min"), parse_rational(argv[6], "clip-max"));
  nlohmann::json out{
      {"cpu", to_string(cpu_level())}, {"open", open_seconds}, {"pool", pool_seconds}, {"records", quantise_seconds}};
  if (forced > 0) {
    std::vector<uint32_t> some(std::min(forced, pool.rows()));
    std::iota(some.begin(), some.end(), uint32_t{0});
    std::vector<int64_t> scores(some.size());
    double pairs = 0;
    for (const auto& one : members) {
      ClassScores(one, summarise(one, false, threads), pool, range, threads).evaluate(some, scores);
      pairs += static_cast<double>(one.rows()) * static_cast<double>(some.size());
    }
    const double seconds = clock.lap();
    out.update({{"all_pairs", seconds}, {"gmacs", pairs * static_cast<double>(pool.dim()) / seconds / 1e9}});
  } else {
    const SelectionTask task{.pool = pool,
                             .classes = classes.size(),
                             .records = [&](size_t c, unsigned) { return members[c]; },
                             .range = range,
                             .threads = threads};
    SeededRandom random(1);
    SelectionWork work;
    select_rows(
        task,
        Budget::parallel(Budget::unledgered(BudgetSpec::pure(parse_rational(argv[7], "epsilon"))), classes.size()),
        random, &work);
    out.update(
        {{"select", clock.lap()},
         {"evaluated", static_cast<double>(work.evaluated) / static_cast<double>(std::max<uint64_t>(work.pairs, 1))}});
  }
  std::cout << out.dump() << "\n";
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
