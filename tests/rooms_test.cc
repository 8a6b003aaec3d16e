// The rooms of the house: who may include whom is the table in CONTRIBUTING.md, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

namespace dppl {
namespace {

namespace fs = std::filesystem;

using Names = std::vector<std::string>;
using Files = std::map<std::string, std::string>;  // path from the root of the repository → text

struct Room {
  std::string name;  // "rows" for `src/rows/`, "cli" for `cli/`
  Names uses;
  bool uses_public_headers = false;  // any of them
};

struct Table {
  std::vector<Room> rooms;
  std::map<std::string, std::string> room_of_header;  // "dppl/pool.h" → "rows"
  Names problems;
};

std::string trimmed(const std::string& text) {
  static const std::string kDropped = " \t`*";
  const size_t begin = text.find_first_not_of(kDropped);
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(kDropped) + 1 - begin);
}

Names split(const std::string& text, char separator) {
  Names parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(trimmed(part));
  return parts;
}

// Of "a, b"; "–" stands for nothing.
Names listed(const std::string& cell) {
  Names names;
  for (const std::string& name : split(cell, ',')) {
    if (!name.empty() && name != "–" && name != "-") names.push_back(name);
  }
  return names;
}

// "rows" for src/rows/…, and the first folder for everything else.
std::string room_of_path(std::string path) {
  if (path.starts_with("src/")) path.erase(0, 4);
  return path.substr(0, path.find('/'));
}

void add_room(Table& table, const Names& cells) {
  Room room;
  room.name = room_of_path(cells[0]);
  for (const std::string& name : listed(cells[2])) {
    if (name == "everything above") {
      for (const Room& above : table.rooms) room.uses.push_back(above.name);
    } else if (name == "include" || name == "include/dppl" || name == "include/dppl/") {
      room.uses_public_headers = true;
    } else {
      room.uses.push_back(name);
    }
  }
  for (const std::string& header : listed(cells[3])) {
    if (!table.room_of_header.emplace("dppl/" + header, room.name).second) {
      table.problems.push_back("the table lists " + header + " twice");
    }
  }
  table.rooms.push_back(std::move(room));
}

// The rows under | room | its job | may use | public headers |.
Table parse_table(const std::string& markdown) {
  Table table;
  bool inside = false;
  std::istringstream lines(markdown);
  for (std::string line; std::getline(lines, line);) {
    const bool is_row = line.starts_with("|");
    Names cells = is_row ? split(line.substr(1), '|') : Names();
    if (cells.size() == 4 && cells == Names{"room", "its job", "may use", "public headers"}) {
      inside = true;
    } else if (inside && !is_row) {
      break;
    } else if (inside && !line.starts_with("|-")) {
      if (cells.size() == 3) cells.emplace_back();  // nothing behind the last bar
      if (cells.size() == 4) {
        add_room(table, cells);
      } else {
        table.problems.push_back("not four columns: " + line);
      }
    }
  }
  if (table.rooms.empty()) table.problems.push_back("there is no table | room | its job | may use | public headers |");
  for (const Room& room : table.rooms) {
    for (const std::string& used : room.uses) {
      if (std::ranges::find(table.rooms, used, &Room::name) == table.rooms.end()) {
        table.problems.push_back("the table lets " + room.name + " use " + used + ", which it does not describe");
      }
    }
  }
  return table;
}

// "x.h" and <dppl/x.h>.
Names includes_of(const std::string& text) {
  static const std::regex kInclude(R"re(\s*#\s*include\s*(?:"([^"]+)"|<(dppl/[^>]+)>).*)re");
  Names found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    const bool likely = line.find("include") != std::string::npos;  // saves seconds
    if (likely && std::regex_match(line, match, kInclude)) found.push_back(match.str(1) + match.str(2));
  }
  return found;
}

class Checker {
 public:
  Checker(const Table& table, const Files& files) : table_(table), files_(files), problems_(table.problems) {
    for (const auto& [path, text] : files_) check_file(path, text);
    for (const auto& [header, room] : table_.room_of_header) {
      if (!files_.contains("include/" + header)) problem("the table lists " + header + ", which does not exist");
    }
    check_cycles();
  }
  const Names& problems() const { return problems_; }

 private:
  using Edges = std::map<std::string, std::map<std::string, std::string>>;  // from → to → a file with such an include

  static bool is_public(const std::string& path) { return path.starts_with("include/dppl/"); }
  void problem(std::string text) { problems_.push_back(std::move(text)); }

  std::optional<std::string> room_of(const std::string& path) const {
    if (is_public(path)) {
      const auto found = table_.room_of_header.find(path.substr(std::string("include/").size()));
      return found == table_.room_of_header.end() ? std::nullopt : std::optional(found->second);
    }
    return room_of_path(path);
  }

  const Room* described(const std::string& name) const {
    const auto found = std::ranges::find(table_.rooms, name, &Room::name);
    return found == table_.rooms.end() ? nullptr : &*found;
  }

  std::optional<std::string> resolve(const std::string& from, const std::string& include) const {
    const std::string beside = (fs::path(from).parent_path() / include).lexically_normal().string();
    for (const std::string& path : {"include/" + include, "src/" + include, include, beside}) {
      if (files_.contains(path)) return path;
    }
    return std::nullopt;
  }

  void check_file(const std::string& path, const std::string& text) {
    const std::optional<std::string> name = room_of(path);
    if (!name) return problem(path + ": no room lists this header");
    const Room* room = described(*name);
    if (room == nullptr) return problem(path + ": the table does not describe the room " + *name);
    for (const std::string& include : includes_of(text)) check_include(path, *room, include);
  }

  void check_include(const std::string& path, const Room& room, const std::string& include) {
    const std::optional<std::string> target = resolve(path, include);
    if (!target) return problem(path + ": " + include + " is in no room");
    if (is_public(path) && !is_public(*target)) return problem(path + ": a public header includes " + include);
    const std::optional<std::string> used = room_of(*target);
    if (!used || *used == room.name) return;  // a header without a room is told once, by itself
    const bool allowed = std::ranges::find(room.uses, *used) != room.uses.end();
    if (allowed || (room.uses_public_headers && is_public(*target))) {
      edges_[room.name].emplace(*used, path);
      return;
    }
    problem(path + ": " + include + " is in " + *used + ", which " + room.name + " may not use");
  }

  // Of the includes that the table allows: others are told already.
  void check_cycles() {
    std::set<std::string> done;
    for (const auto& [room, uses] : edges_) {
      Names way;
      walk(room, way, done);
    }
  }

  void walk(const std::string& room, Names& way, std::set<std::string>& done) {
    const auto start = std::ranges::find(way, room);
    if (start != way.end()) {
      std::string cycle;
      for (auto step = start; step != way.end(); ++step) {
        const std::string& next = step + 1 == way.end() ? room : *(step + 1);
        cycle += *step + " → " + next + " (" + edges_[*step][next] + ") ";
      }
      return problem("a cycle: " + cycle);
    }
    if (!done.insert(room).second) return;
    way.push_back(room);
    for (const auto& [next, path] : edges_[room]) walk(next, way, done);
    way.pop_back();
  }

  const Table& table_;
  const Files& files_;
  Edges edges_;
  Names problems_;
};

Names problems_of(const std::string& markdown, const Files& files) {
  const Table table = parse_table(markdown);
  return Checker(table, files).problems();
}

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

Files files_of(const fs::path& root) {
  Files files;
  for (const char* folder : {"src", "lab", "cli", "python", "include/dppl"}) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string name = entry.path().filename().string();
      const bool is_code = name.ends_with(".cc") || name.ends_with(".h");
      if (is_code && !name.ends_with("_test.cc")) {
        files[entry.path().lexically_relative(root).generic_string()] = text_of(entry.path());
      }
    }
  }
  return files;
}

TEST(Rooms, IncludesKeepToTheTable) {
  const fs::path root = DPPL_SOURCE_DIR;
  const Files files = files_of(root);
  ASSERT_GT(files.size(), 250u);
  for (const std::string& problem : problems_of(text_of(root / "CONTRIBUTING.md"), files)) ADD_FAILURE() << problem;
}

// ---- The test of the test

constexpr const char* kTable = R"(# Working on it
| command | what it does |
|---|---|
| `fit` | fits |

| room | its job | may use | public headers |
|---|---|---|---|
| `src/base/` | files, errors | – | error.h |
| `src/rows/` | `.npy`, private and public data | base | embeddings.h, pool.h |
| `src/model/` | the model | base, rows | model.h |
| `lab/` | experiments | everything above | – |
| `cli/` | parse, call, print | include | – |

| room | not this one |
)";

Files good_files() {
  return {{"include/dppl/error.h", "#pragma once\n#include <string>\n"},
          {"include/dppl/embeddings.h", "#include <vector>\n"},
          {"include/dppl/pool.h", "#include \"dppl/embeddings.h\"\n"},
          {"include/dppl/model.h", "#include \"dppl/pool.h\"\n"},
          {"src/base/text.cc", "#include \"dppl/error.h\"\n"},
          {"src/base/text.h", ""},
          {"src/rows/npy.cc", "#include \"rows/npy.h\"\n#include \"base/text.h\"\n"},
          {"src/rows/npy.h", "#include \"dppl/embeddings.h\"\n"},
          {"src/model/classify.cc", "#include \"dppl/model.h\"\n#include \"rows/npy.h\"\n"},
          {"lab/tail.cc", "#include \"rows/npy.h\"\n#include <dppl/model.h>\n"},
          {"cli/fit.cc", "#include \"cli/command.h\"\n#include \"dppl/model.h\"\n"},
          {"cli/command.h", "#include \"dppl/error.h\"\n"}};
}

// Whether exactly one problem is found once `path` holds `text`, and it says all of `words`.
void expect_found(const std::string& path, const std::string& text, const Names& words) {
  Files files = good_files();
  files[path] = text;
  const Names problems = problems_of(kTable, files);
  ASSERT_EQ(problems.size(), 1u) << path << ": " << text << (problems.empty() ? "" : problems.back());
  for (const std::string& word : words) EXPECT_NE(problems[0].find(word), std::string::npos) << problems[0];
}

TEST(Rooms, WhatIsAllowedIsLeftAlone) { EXPECT_EQ(problems_of(kTable, good_files()), Names()); }

TEST(Rooms, AForbiddenEdgeIsFound) {
  expect_found("src/model/x.cc", "#include \"lab/tail.cc\"\n", {"src/model/x.cc", "lab", "model may not use"});
  expect_found("src/base/x.cc", "\n#include \"rows/npy.h\"\n", {"src/base/x.cc", "rows", "base may not use"});
  expect_found("src/rows/x.cc", "#include \"dppl/model.h\"\n", {"dppl/model.h is in model", "rows may not use"});
  expect_found("cli/x.cc", "#include \"base/text.h\"\n", {"base/text.h", "cli may not use"});
  expect_found("src/rows/x.cc", "#include \"../model/classify.cc\"\n", {"model", "rows may not use"});
}

TEST(Rooms, APublicHeaderKeepsToItsRoomAndToPublicHeaders) {
  expect_found("include/dppl/pool.h", "#include \"dppl/model.h\"\n", {"dppl/pool.h", "is in model"});
  expect_found("include/dppl/pool.h", "#include \"rows/npy.h\"\n", {"a public header includes rows/npy.h"});
  expect_found("include/dppl/extra.h", "", {"extra.h: no room lists this header"});
}

TEST(Rooms, WhatTheTableDoesNotKnowIsFound) {
  expect_found("src/attic/x.cc", "", {"does not describe the room attic"});
  expect_found("src/rows/x.cc", "#include \"tests/support/clouds.h\"\n", {"is in no room"});
  Files files = good_files();
  files.erase("include/dppl/error.h");
  files["src/base/text.cc"] = files["cli/command.h"] = "";
  EXPECT_EQ(problems_of(kTable, files), Names{"the table lists dppl/error.h, which does not exist"});
  EXPECT_EQ(problems_of("# Nothing\n", {}).size(), 1u);
  EXPECT_EQ(parse_table("| room | its job | may use | public headers |\n|---|---|---|---|\n| `src/a/` | x | b | |\n")
                .problems,
            Names{"the table lets a use b, which it does not describe"});
}

TEST(Rooms, ACycleIsFound) {
  // Each edge is allowed by itself.
  constexpr const char* kCircle =
      "| room | its job | may use | public headers |\n|---|---|---|---|\n"
      "| `src/a/` | x | b | |\n| `src/b/` | x | c | |\n| `src/c/` | x | a | |\n";
  const Names problems = problems_of(kCircle, {{"src/a/a.h", "#include \"b/b.h\"\n"},
                                               {"src/b/b.h", "#include \"c/c.h\"\n"},
                                               {"src/c/c.h", ""},
                                               {"src/c/c.cc", "#include \"a/a.h\"\n"}});
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0], "a cycle: a → b (src/a/a.h) b → c (src/b/b.h) c → a (src/c/c.cc) ");
}

}  // namespace
}  // namespace dppl
