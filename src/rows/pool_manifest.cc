#include "rows/pool_manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/digest.h"
#include "base/text_lines.h"
#include "base/whole_number.h"
#include "dppl/error.h"

namespace dppl {
namespace {

constexpr std::string_view kVersion = "1";
constexpr std::string_view kAgain = "write it again with dppl pool commit";

[[noreturn]] void refuse(std::string_view what) { throw InvalidInput(std::string(what)); }

// Without the '\n' at its end; nothing when there is no whole line any more.
std::optional<std::string_view> take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

// What follows `word` and a blank.
std::string_view value_of(std::optional<std::string_view> line, std::string_view word) {
  if (!line || !line->starts_with(word) || line->size() <= word.size() || (*line)[word.size()] != ' ') {
    refuse(fmt::format("has no line '{} …' where one belongs; {}", word, kAgain));
  }
  return line->substr(word.size() + 1);
}

size_t parse_rows(std::string_view text) {
  const std::optional<uint64_t> rows = whole_number(text);
  if (!rows || *rows == 0 || *rows > std::numeric_limits<uint32_t>::max()) {
    refuse(fmt::format("'{}' is not a number of rows; {}", text.substr(0, 40), kAgain));
  }
  return *rows;
}

std::string parse_digest(std::string_view text) {
  const bool hex = text.size() == 2 * sizeof(Digest) && std::all_of(text.begin(), text.end(), [](char c) {
                     return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
                   });
  if (!hex) refuse(fmt::format("'{}' is not a digest; {}", text.substr(0, 80), kAgain));
  return std::string(text);
}

// A name may have blanks: the other two stand at the end.
PoolManifest::Shard parse_shard(std::string_view line) {
  const size_t last = line.rfind(' ');
  const size_t middle =
      last == std::string_view::npos || last == 0 ? std::string_view::npos : line.rfind(' ', last - 1);
  if (middle == std::string_view::npos || middle == 0) {
    refuse(fmt::format("'{}' does not say a file, its rows and its digest; {}", line.substr(0, 80), kAgain));
  }
  return {std::string(line.substr(0, middle)), parse_rows(line.substr(middle + 1, last - middle - 1)),
          parse_digest(line.substr(last + 1))};
}

// The text is what was written: without its last line, it has the digest that the last line says.
void check_digest(std::string_view text) {
  constexpr std::string_view kWord = "digest ";
  constexpr size_t kLastLine = kWord.size() + 2 * sizeof(Digest) + 1;
  if (text.size() < kLastLine) refuse(fmt::format("is cut short; {}", kAgain));
  const std::string_view above = text.substr(0, text.size() - kLastLine), last = text.substr(above.size());
  if (last != fmt::format("{}{}\n", kWord, to_hex(digest_of(above)))) {
    refuse(fmt::format("was changed, cut short or damaged: its digest does not match; {}", kAgain));
  }
}

}  // namespace

PoolManifest parse_manifest(std::string_view text, const std::string& name) try {
  const std::string_view whole = text;
  const auto title = take_line(text);
  if (!title || !title->starts_with(kManifestTitle)) refuse("is not a manifest of a pool; dppl pool commit writes one");
  if (title->substr(kManifestTitle.size()) != kVersion) {
    refuse(fmt::format("was made by a newer dppl ('{}', this program reads '{}{}'); upgrade dppl", title->substr(0, 40),
                       kManifestTitle, kVersion));
  }
  check_digest(whole);
  PoolManifest manifest;
  manifest.digest = parse_digest(value_of(take_line(text), "content"));
  manifest.rows = parse_rows(value_of(take_line(text), "rows"));
  size_t rows = 0;
  for (auto line = take_line(text); line && !text.empty(); line = take_line(text)) {
    manifest.shards.push_back(parse_shard(*line));
    rows += manifest.shards.back().rows;
  }
  if (manifest.shards.empty() || rows != manifest.rows) {
    refuse(fmt::format("its {} shards have {} rows together, and it says {}; {}", manifest.shards.size(), rows,
                       manifest.rows, kAgain));
  }
  // A name with a control character, a number with a zero in front.
  if (to_text(manifest) != whole) refuse(fmt::format("is not what dppl writes; {}", kAgain));
  return manifest;
} catch (const InvalidInput& error) {
  throw InvalidInput(fmt::format("{}: {}", name, error.what()));
}

std::string to_text(const PoolManifest& manifest) {
  std::string text =
      fmt::format("{}{}\ncontent {}\nrows {}\n", kManifestTitle, kVersion, manifest.digest, manifest.rows);
  for (const PoolManifest::Shard& shard : manifest.shards) {
    const std::string_view fault = fault_of_line(shard.file);
    if (!fault.empty()) {
      throw InvalidInput(fmt::format("{}: the name of the file {}; rename it", shard.file, fault));
    }
    text += fmt::format("{} {} {}\n", shard.file, shard.rows, shard.digest);
  }
  return text + fmt::format("digest {}\n", to_hex(digest_of(text)));
}

}  // namespace dppl
