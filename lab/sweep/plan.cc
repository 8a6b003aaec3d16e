#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/mapped_file.h"
#include "dppl/error.h"
#include "dppl/experiments.h"
#include "dppl/invalid_record.h"
#include "lab/constants.h"
#include "lab/sweep/method_settings.h"
#include "lab/sweep/plan_table.h"
#include "rows/public_access.h"

namespace dppl {
namespace {

namespace fs = std::filesystem;

// A message about a setting begins with its name, or with that of the option: its line is named where it has one.
[[noreturn]] void fail_at(const PlanTable& table, const PlanTable* settings, std::string_view message) {
  std::string_view name = message;
  if (name.starts_with("--")) name.remove_prefix(2);
  const std::string_view key = name.substr(0, name.find_first_of(" :"));
  const std::string_view rest = name.substr(key.size()).starts_with(": ") ? name.substr(key.size() + 2) : message;
  if (settings != nullptr && settings->has(key)) settings->fail(key, rest);
  if (key == "kind" || table.has(key)) table.fail(key, rest);
  table.fail("settings", message);
}

// One table with every list in it spelled out: all combinations, the last key fastest.
struct Combination {
  SweepSettings settings;
  std::string words;  // what tells it from the others: ", k = 5"
};

void spell_out(const PlanTable& table, std::string_view key, std::vector<Combination>& all) {
  const std::vector<SweepSetting> values = table.settings(key);
  if (all.size() * values.size() > kMostRuns) table.fail(key, "makes too many combinations");
  std::vector<Combination> result;
  for (const Combination& before : all) {
    for (const SweepSetting& value : values) {
      Combination one = before;
      one.settings[std::string(key)] = value;
      if (table.is_list(key)) {
        one.words += std::holds_alternative<std::string>(value) ? fmt::format(", {}", to_text(value))
                                                                : fmt::format(", {} = {}", key, to_text(value));
      }
      result.push_back(std::move(one));
    }
  }
  all = std::move(result);
}

bool has_long_tail(const SweepPlan::Data& data) { return data.ratios.front().has_value(); }

class PlanParser {
 public:
  PlanParser(const PlanTable& root, const std::string& data_directory, SweepPlan& plan)
      : root_(root), directory_(data_directory), plan_(plan) {}

  void parse() {
    plan_.title = root_.text_or("title", fs::path(plan_.file).stem().string());
    read_figures();
    plan_.rho = root_.numbers("rho");
    for (const double rho : plan_.rho) check_budget(root_, rho);
    refuse_twice(root_, "rho", plan_.rho);
    read_ratios();
    read_seeds();
    for (PlanTable& table : root_.tables("pool")) read_pool(table);
    for (PlanTable& table : root_.tables("data")) read_data(table);
    if (plan_.data.empty()) root_.fail("data", "is missing; a plan needs at least one [[data]]");
    if (root_.has("ratio") && std::none_of(plan_.data.begin(), plan_.data.end(), has_long_tail))
      root_.fail("ratio", "applies to none of the data, which have long-tail = false; leave it out");
    for (PlanTable& table : root_.tables("method")) read_method(table);
    if (plan_.methods.empty()) root_.fail("method", "is missing; a plan needs at least one [[method]]");
    for (PlanTable& table : root_.tables("map")) read_map(table);
    root_.refuse_others();
    check_size();
  }

 private:
  static void check_budget(const PlanTable& table, double rho) {
    if (!(rho > kSmallestRho && rho < kLargestRho))
      table.fail("rho", fmt::format("{} is not a budget; it must be above 0", rho));
  }

  static void check_ratio(const PlanTable& table, double ratio) {
    if (!(ratio >= 1 && ratio <= kLargestRatio))
      table.fail("ratio", fmt::format("{} is below 1; it is the largest class over the smallest", ratio));
  }

  template <typename T>
  static void refuse_twice(const PlanTable& table, std::string_view key, std::vector<T> values) {
    std::sort(values.begin(), values.end());
    const auto twice = std::adjacent_find(values.begin(), values.end());
    if (twice != values.end()) table.fail(key, fmt::format("has {} twice", *twice));
  }

  void read_ratios() {
    if (root_.has("ratio")) ratios_ = root_.numbers("ratio");
    for (const double ratio : ratios_) check_ratio(root_, ratio);
    refuse_twice(root_, "ratio", ratios_);
  }

  void read_figures() {
    if (!root_.has("figures")) return;
    plan_.figures = root_.texts("figures");
    const auto known = sweep_figures();
    for (const std::string& figure : plan_.figures) {
      if (std::find(known.begin(), known.end(), figure) == known.end())
        root_.fail("figures", fmt::format("'{}' is unknown; known are {}", figure, fmt::join(known, ", ")));
    }
    refuse_twice(root_, "figures", plan_.figures);
  }

  void read_seeds() {
    if (root_.has("seeds") && root_.is_list("seeds")) {
      plan_.seeds = root_.whole_numbers("seeds", 0, kLargestWholeNumber);
      refuse_twice(root_, "seeds", plan_.seeds);
    } else {
      const uint64_t count = root_.has("seeds") ? root_.whole_numbers("seeds", 1, kMostSeeds).front() : 5;
      for (uint64_t seed = 1; seed <= count; ++seed) plan_.seeds.push_back(seed);
    }
  }

  std::string path(const std::string& text) const {
    return fs::path(text).is_absolute() ? text : (fs::path(directory_) / text).string();
  }

  void read_pool(PlanTable& table) {
    SweepPlan::Pool pool{.name = table.text("name"), .file = path(table.text("file")), .line = table.line()};
    table.call(fmt::format("pool '{}' ", pool.name));
    if (table.has("rows")) pool.rows = table.whole_numbers("rows", 1, kLargestWholeNumber);
    refuse_twice(table, "rows", pool.rows);
    for (const SweepPlan::Pool& other : plan_.pools) {
      if (other.name == pool.name) table.fail("name", "is the name of another pool too");
    }
    table.refuse_others();
    plan_.pools.push_back(std::move(pool));
  }

  void read_data(PlanTable& table) {
    SweepPlan::Data data;
    data.name = table.text("name");
    data.line = table.line();
    table.call(fmt::format("data '{}' ", data.name));
    data.encoder = table.text_or("encoder", "");
    data.train = path(table.text("train"));
    data.train_labels = path(table.text("train-labels"));
    data.test = path(table.text("test"));
    data.test_labels = path(table.text("test-labels"));
    const SweepSetting classes = table.settings("classes").front();
    data.classes = std::holds_alternative<double>(classes)
                       ? std::to_string(table.whole_numbers("classes", 1, ClassSet::kMaxSize).front())
                       : path(table.text("classes"));
    if (table.has("pool")) {
      for (const std::string& name : table.texts("pool")) {
        const auto found = std::find_if(plan_.pools.begin(), plan_.pools.end(),
                                        [&](const SweepPlan::Pool& pool) { return pool.name == name; });
        if (found == plan_.pools.end()) table.fail("pool", fmt::format("there is no [[pool]] of the name '{}'", name));
        data.pools.push_back(static_cast<size_t>(found - plan_.pools.begin()));
      }
      refuse_twice(table, "pool", data.pools);
    }
    if (table.truth_or("long-tail", true)) {
      data.ratios.assign(ratios_.begin(), ratios_.end());
    } else {
      data.ratios = {std::nullopt};
    }
    for (const SweepPlan::Data& other : plan_.data) {
      if (other.name == data.name && other.encoder == data.encoder)
        table.fail("name", "is there twice with the same encoder");
    }
    table.refuse_others();
    plan_.data.push_back(std::move(data));
  }

  void read_method(PlanTable& table) {
    const std::string name = table.text("name");
    table.call(fmt::format("method '{}' ", name));
    const std::string kind = table.text_or("kind", name);
    std::vector<Combination> settings = {{}}, grid = {{}};
    if (table.has("transform")) spell_out(table, "transform", settings);
    const std::optional<PlanTable> own = table.table("settings"), candidates = table.table("grid");
    for (const std::string& key : own ? own->keys() : std::vector<std::string>{}) {
      if (key == "transform" && table.has(key)) own->fail(key, "is given for the method already");
      spell_out(*own, key, settings);
    }
    for (const std::string& key : candidates ? candidates->keys() : std::vector<std::string>{}) {
      if (settings.front().settings.contains(key)) candidates->fail(key, "is among the settings too");
      spell_out(*candidates, key, grid);
    }
    const std::string tune = table.text_or("tune", "");
    if (!tune.empty() && tune != "public" && tune != "grid-on-test")
      table.fail("tune", fmt::format("'{}' is unknown; give public or grid-on-test, or leave it out", tune));
    if ((tune == "grid-on-test") != candidates.has_value())
      table.fail("tune", "grid-on-test and [method.grid] go together");
    table.refuse_others();

    for (Combination& one : settings) {
      SweepPlan::Method method{.name = name + one.words,
                               .kind = kind,
                               .settings = std::move(one.settings),
                               .tune_on_pool = tune == "public",
                               .line = table.line()};
      for (const Combination& candidate : grid) {
        if (candidates) method.grid.push_back(candidate.settings);
      }
      check(method, table, candidates ? &*candidates : nullptr, own ? &*own : nullptr);
      plan_.methods.push_back(std::move(method));
    }
  }

  void check(const SweepPlan::Method& method, const PlanTable& table, const PlanTable* grid,
             const PlanTable* settings) {
    for (const SweepPlan::Method& other : plan_.methods) {
      if (other.name == method.name)
        table.fail("name", fmt::format("'{}' is the name of another method too", other.name));
    }
    try {
      check_method(method, plan_.rho);
    } catch (const InvalidInput& error) {
      fail_at(table, settings != nullptr ? settings : grid, error.what());
    }
    for (const SweepPlan::Data& data : plan_.data) {
      if (data.pools.empty() && uses_pool(method))
        table.fail("kind", fmt::format("needs a public pool, and data '{}' names none", data.name));
    }
  }

  void read_map(PlanTable& table) {
    const std::string name = table.text("method");
    table.call(fmt::format("map of '{}' ", name));
    const auto found = std::find_if(plan_.methods.begin(), plan_.methods.end(),
                                    [&](const SweepPlan::Method& method) { return method.name == name; });
    if (found == plan_.methods.end()) {
      std::vector<std::string> known;
      for (const SweepPlan::Method& method : plan_.methods) known.push_back(method.name);
      table.fail("method", fmt::format("is unknown; known are {}", fmt::join(known, "; ")));
    }
    if (!is_own_method(found->kind) || !found->grid.empty())
      table.fail("method", "has no prototypes of its own to show; take mean, public, public-k or auto without a grid");
    const std::optional<double> ratio = read_map_ratio(table);
    for (const double rho : table.numbers("rho")) {
      check_budget(table, rho);
      plan_.maps.push_back({static_cast<size_t>(found - plan_.methods.begin()), rho, ratio});
    }
    table.refuse_others();
  }

  // Maps are of the first data set.
  std::optional<double> read_map_ratio(const PlanTable& table) const {
    const SweepPlan::Data& data = plan_.data.front();
    if (!has_long_tail(data)) {
      if (table.has("ratio"))
        table.fail("ratio",
                   fmt::format("does not apply to data '{}', which have long-tail = false; leave it out", data.name));
      return std::nullopt;
    }
    const double ratio = table.has("ratio") ? table.number("ratio") : 1;
    check_ratio(table, ratio);
    return ratio;
  }

  void check_size() const {
    double per_place = 0, places = 0;
    for (const SweepPlan::Method& method : plan_.methods)
      per_place += static_cast<double>(std::max<size_t>(method.grid.size(), 1));
    for (const SweepPlan::Data& data : plan_.data) {
      size_t pools = 1;
      for (const size_t pool : data.pools) pools += std::max<size_t>(plan_.pools[pool].rows.size(), 1);
      places += static_cast<double>(pools * data.ratios.size());
    }
    const double runs = per_place * places * static_cast<double>(plan_.rho.size() * plan_.seeds.size());
    if (runs > static_cast<double>(kMostRuns))
      root_.fail("method", fmt::format("{:.0f} runs are too many; {} are possible", runs, kMostRuns));
  }

  const PlanTable& root_;
  std::string directory_;
  SweepPlan& plan_;
  std::vector<double> ratios_ = {1};
};

// ---- Files

template <typename Use>
auto reading(const SweepPlan& plan, size_t line, const std::string& what, Use use) {
  try {
    return with_public_records(use);  // a sweep is for data that are open
  } catch (const Error& error) {
    throw InvalidInput(fmt::format("{}:{}: {}: {} (relative paths are looked up in the folder of the data)", plan.file,
                                   line, what, error.what()));
  }
}

void check_labels_of(const std::string& path, const Embeddings& rows, const ClassSet& classes, bool each_class) {
  const std::vector<int64_t> labels = read_labels(path, classes);
  if (labels.size() != rows.rows())
    throw InvalidInput(
        fmt::format("{}: {} labels for the {} rows of {}", path, labels.size(), rows.rows(), rows.path()));
  if (labels.empty()) throw InvalidInput(fmt::format("{}: holds no label", path));
  const std::vector<uint64_t> counts = count_labels(labels, classes);
  const auto none = std::find(counts.begin(), counts.end(), uint64_t{0});
  if (each_class && none != counts.end())
    throw InvalidInput(fmt::format("{}: class {} has no record", path, none - counts.begin()));
}

size_t check_pool_file(const SweepPlan& plan, const SweepPlan::Pool& pool) {
  return reading(plan, pool.line, fmt::format("pool '{}' file", pool.name), [&] {
    const PublicData rows = PublicData::open(pool.file);
    if (!pool.rows.empty() && PublicAccess(rows).shards() != nullptr)
      throw InvalidInput(fmt::format("{}: rows can be taken of a .npy only", pool.file));
    for (const uint64_t count : pool.rows) {
      if (count > rows.size())
        throw InvalidInput(fmt::format("{}: has {} rows, and {} are asked for", pool.file, rows.size(), count));
    }
    return rows.dim();
  });
}

void check_data_files(const SweepPlan& plan, const SweepPlan::Data& data, const std::vector<size_t>& pool_dims) {
  const auto at = [&](const char* key, auto use) {
    return reading(plan, data.line, fmt::format("data '{}' {}", data.name, key), use);
  };
  const ClassSet classes = at("classes", [&] { return ClassSet::parse(data.classes); });
  const Embeddings train = at("train", [&] { return Embeddings::open(data.train); });
  at("train-labels", [&] { check_labels_of(data.train_labels, train, classes, has_long_tail(data)); });
  const Embeddings test = at("test", [&] { return Embeddings::open(data.test); });
  at("test-labels", [&] { check_labels_of(data.test_labels, test, classes, false); });
  at("test", [&] {
    if (test.dim() != train.dim())
      throw InvalidInput(fmt::format("{}: has dimension {}, the training rows {}", data.test, test.dim(), train.dim()));
  });
  at("pool", [&] {
    for (const size_t pool : data.pools) {
      if (pool_dims[pool] != train.dim())
        throw InvalidInput(fmt::format("{}: has dimension {}, the training rows {}", plan.pools[pool].file,
                                       pool_dims[pool], train.dim()));
    }
  });
}

}  // namespace

SweepPlan parse_plan(std::string_view text, const std::string& file, const std::string& data_directory) {
  const std::string directory = data_directory.empty() ? fs::path(file).parent_path().string() : data_directory;
  SweepPlan plan;
  plan.file = file;
  try {
    const toml::table table = toml::parse(text, file);
    PlanParser(PlanTable(table, file, ""), directory, plan).parse();
  } catch (const toml::parse_error& error) {
    std::string what(error.description());
    std::replace(what.begin(), what.end(), '\n', ' ');
    throw InvalidInput(fmt::format("{}:{}: {}", file, error.source().begin.line, what));
  }
  return plan;
}

SweepPlan load_plan(const std::string& path, const std::string& data_directory) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  SweepPlan plan = parse_plan({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path, data_directory);
  std::vector<size_t> pool_dims;
  for (const SweepPlan::Pool& pool : plan.pools) pool_dims.push_back(check_pool_file(plan, pool));
  for (const SweepPlan::Data& data : plan.data) check_data_files(plan, data, pool_dims);
  return plan;
}

}  // namespace dppl
