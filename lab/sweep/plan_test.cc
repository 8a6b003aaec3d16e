#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "dppl/error.h"
#include "dppl/sweep.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::read_text;
using testing::TempDir;

constexpr std::string_view kHead = R"(rho = [0.1, 1]
seeds = 2
[[pool]]
name = "P"
file = "p.npy"
[[data]]
name = "D"
train = "x.npy"
train-labels = "y.npy"
test = "/abs/tx.npy"
test-labels = "ty.npy"
classes = 3
pool = "P"
)";

SweepPlan parse(std::string_view text, std::string_view head = kHead) {
  return parse_plan(fmt::format("{}{}", head, text), "dir/plan.toml");
}

TEST(Plan, ReadsWhatIsThere) {
  const SweepPlan plan = parse(R"([[method]]
name = "auto"
[[method]]
name = "top"
kind = "public-k"
transform = ["none", "pca:2"]
settings.k = [1, 5]
[[method]]
name = "sum"
kind = "mean"
tune = "grid-on-test"
grid.prior-variance = [1, 2]
settings.shrink = true
grid.transform = ["none", "center"]
[[map]]
method = "auto"
rho = [0.1, 1]
)");
  EXPECT_EQ(plan.title, "plan");
  EXPECT_EQ(plan.data.at(0).ratios, std::vector<std::optional<double>>{1.0});
  EXPECT_EQ(plan.seeds, (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(plan.data.at(0).train, "dir/x.npy");
  EXPECT_EQ(plan.data.at(0).test, "/abs/tx.npy");
  EXPECT_EQ(plan.data.at(0).classes, "3");
  std::vector<std::string> names;
  for (const auto& method : plan.methods) names.push_back(method.name);
  EXPECT_EQ(names, (std::vector<std::string>{"auto", "top, none, k = 1", "top, none, k = 5", "top, pca:2, k = 1",
                                             "top, pca:2, k = 5", "sum"}));
  EXPECT_EQ(std::get<double>(plan.methods[2].settings.at("k")), 5);
  EXPECT_EQ(plan.methods[5].grid.size(), 4u);
  EXPECT_EQ(plan.maps.size(), 2u);
  EXPECT_EQ(parse_plan(fmt::format("{}[[method]]\nname='auto'", kHead), "a.toml", "/data").data.at(0).train,
            "/data/x.npy");
}

TEST(Plan, RefusesInOneLineWithFileLineAndKey) {
  const std::pair<std::string_view, std::vector<std::string_view>> methods[] = {
      {"", {"dir/plan.toml:1: method: is missing"}},
      {"[[method]]\nname='x'\nkind='dp-magic'", {"plan.toml:16: method 'x' kind: 'dp-magic'", "unknown", "public-k"}},
      {"[[method]]\nname='mean'\nsettings.k=3", {"plan.toml:16: method 'mean' settings k: not a setting of 'mean'"}},
      {"[[method]]\nname='mean'\nsettings.shrink=3", {"method 'mean' settings shrink: must be true or false"}},
      {"[[method]]\nname='mean'\nsettings.shrink=[]", {"shrink: is an empty list"}},
      {"[[method]]\nname='mean'\nsettings.lift=nan", {"lift: must be a text, a finite number"}},
      {"[[method]]\nname='mean'\ntransform='pca'", {"plan.toml:16: method 'mean'", "transform", "is not known"}},
      {"[[method]]\nname='public'\nsettings.clip-min=3", {"method 'public'", "clip-min: 3 must lie between 0 and 2"}},
      {"[[method]]\nname='public'\nsettings.mechanism='dice'", {"'dice': unknown; give one of exponential"}},
      {"[[method]]\nname='public-k'\nsettings.k=1.5", {"k: 1.5 is not a whole number"}},
      {"[[method]]\nname='mean'\nlabel='x'", {"plan.toml:16: method 'mean' label: is not known here; known are"}},
      {"[[method]]\nname='mean'\n[[method]]\nname='mean'", {"plan.toml:17: method 'mean' name", "another method"}},
      {"[[method]]\nname='mean'\ntune='grid-on-test'", {"tune: grid-on-test and [method.grid] go together"}},
      {"[[method]]\nname='mean'\ngrid.lift=[0]", {"tune: grid-on-test and [method.grid] go together"}},
      {"[[method]]\nname='mean'\ntune='often'", {"plan.toml:16: method 'mean' tune: 'often' is unknown"}},
      {"[[method]]\nname='auto'\ntune='public'", {"auto tunes itself"}},
      {"[[method]]\nname='mean'\ntune='public'\nsettings.lift=0.5", {"lift: is what tuning on the pool chooses"}},
      {"[[method]]\nname='mean'\nsettings=3", {"settings: must be a table"}},
      {"[method]\nname='mean'", {"method: must be a list of tables, [[method]]"}},
      {"[[method]]\nname=''", {"plan.toml:15: method name: is empty"}},
      {"[[method]]\nname=['a']", {"name: must be one text, not a list"}},
      {"[[method]]\nname=\"a\\nb\"", {"control character"}},
      {"[[method]]\nname='auto'\n[[map]]\nmethod='b'\nrho=1", {"plan.toml:17: map of 'b' method: is unknown"}},
      {"[[method]]\nname='auto'\n[[map]]\nmethod='auto'\nrho=0", {"plan.toml:18: map of 'auto' rho: 0 is not"}},
      {"[[method]]\nname=", {"dir/plan.toml:15: "}}};
  for (const auto& [text, words] : methods) {
    try {
      parse(text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const InvalidInput& error) {
      for (const std::string_view word : words)
        EXPECT_NE(std::string_view(error.what()).find(word), std::string_view::npos) << word << "\n" << error.what();
      EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
    }
  }
}

TEST(Plan, RefusesBadHeads) {
  const std::pair<std::string, std::string_view> changes[] = {
      {"rho = [0.1, 1]|rho = [0.1, 0]", "plan.toml:1: rho: 0 is not a budget"},
      {"rho = [0.1, 1]|rho = []", "rho: is an empty list"},
      {"rho = [0.1, 1]|rho = [1, 1]", "rho: has 1 twice"},
      {"rho = [0.1, 1]|rho = 'much'", "rho: must be a number"},
      {"rho = [0.1, 1]|rho = [[1]]", "rho: must be a text, a finite number"},
      {"rho = [0.1, 1]|ratio = 2", "plan.toml:1: rho: is missing"},
      {"rho = [0.1, 1]|rho = 1\nratio = 0.5", "plan.toml:2: ratio: 0.5 is below 1"},
      {"rho = [0.1, 1]|rho = 1\nfigures = ['pie']", "plan.toml:2: figures: 'pie' is unknown; known are budget"},
      {"rho = [0.1, 1]|rho = 1\ncolour = 1", "plan.toml:2: colour: is not known here"},
      {"seeds = 2|seeds = 0", "plan.toml:2: seeds: 0 is not a whole number between 1"},
      {"seeds = 2|seeds = [1, 2.5]", "seeds: 2.5 is not a whole number"},
      {"seeds = 2|seeds = 2\nseeds = 3", "plan.toml:3: "},
      {"classes = 3|classes = 0", "plan.toml:12: data 'D' classes: 0 is not a whole number"},
      {"test = \"/abs/tx.npy\"|rows = 3", "plan.toml:6: data 'D' test: is missing"},
      {"pool = \"P\"|pool = \"Q\"", "plan.toml:13: data 'D' pool: there is no [[pool]] of the name 'Q'"},
      {"pool = \"P\"|", "method 'auto' kind: needs a public pool, and data 'D' names none"},
      {"file = \"p.npy\"|file = \"p.npy\"\nrows = [0]", "plan.toml:6: pool 'P' rows: 0 is not a whole number"},
      {"seeds = 2|seeds = 10000\nratio = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, "
       "22, 23, 24, 25, 26]",
       "runs are too many"}};
  for (const auto& [change, word] : changes) {
    std::string head(kHead);
    const std::string from = change.substr(0, change.find('|')), to = change.substr(change.find('|') + 1);
    head.replace(head.find(from), from.size(), to);
    expect_error<InvalidInput>([&] { parse("[[method]]\nname = 'auto'\n", head); }, {word});
  }
}

constexpr std::string_view kMoreData = R"([[data]]
name = "E"
train = "x.npy"
train-labels = "y.npy"
test = "tx.npy"
test-labels = "ty.npy"
classes = 3
pool = "P"
long-tail = false
[[method]]
name = "auto"
)";

TEST(Plan, TakesDataAsTheyCome) {
  using Ratios = std::vector<std::optional<double>>;
  const std::string head = fmt::format("ratio = [1, 10]\n{}", kHead),
                    natural = fmt::format("{}long-tail = false\n", head);
  const SweepPlan plan = parse(kMoreData, head);
  EXPECT_EQ(plan.data.at(0).ratios, (Ratios{1.0, 10.0}));
  EXPECT_EQ(plan.data.at(1).ratios, Ratios{std::nullopt});
  EXPECT_EQ(parse("long-tail = true\n[[method]]\nname = 'auto'", head).data.at(0).ratios, (Ratios{1.0, 10.0}));

  const std::string map = "[[map]]\nmethod = 'auto'\nrho = 1\n";
  EXPECT_EQ(parse(fmt::format("{}{}", kMoreData, map), head).maps.at(0).ratio, 1) << "maps are of the first data";
  EXPECT_EQ(parse(fmt::format("long-tail = false\n[[method]]\nname = 'auto'\n{}", map)).maps.at(0).ratio, std::nullopt);

  expect_error<InvalidInput>([&] { parse("long-tail = 0\n[[method]]\nname = 'auto'"); },
                             {"plan.toml:14: data 'D' long-tail: must be true or false"});
  expect_error<InvalidInput>([&] { parse(kMoreData, natural); },
                             {"plan.toml:1: ratio: applies to none of the data, which have long-tail = false"});
  expect_error<InvalidInput>(
      [&] { parse(fmt::format("long-tail = false\n[[method]]\nname = 'auto'\n{}ratio = 10", map)); },
      {"plan.toml:20: map of 'auto' ratio: does not apply to data 'D', which have long-tail = false"});
}

TEST(Plan, MissingFilesAreNamed) {
  const TempDir dir;
  const std::string path = dir.file("plan.toml", fmt::format("{}[[method]]\nname = 'auto'\n", kHead));
  expect_error<InvalidInput>([&] { load_plan(path); },
                             {"plan.toml:3: pool 'P' file: ", "p.npy: cannot open", "folder of the data"});
  expect_error<IoError>([&] { load_plan(dir.path("none.toml")); }, {"none.toml: cannot open"});
}

TEST(Plan, AllShippedPlansParse) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(DPPL_SOURCE_DIR "/plans")) {
    if (entry.path().extension() != ".toml") continue;
    const std::string text = read_text(entry.path().string());
    EXPECT_TRUE(text.starts_with("# ")) << entry.path() << ": should begin with what it is for";
    const SweepPlan plan = parse_plan(text, entry.path().string());
    EXPECT_FALSE(plan.figures.empty()) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 13u);
}

}  // namespace
}  // namespace dppl
