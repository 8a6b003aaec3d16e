#include "encoders/shard_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/digest.h"
#include "base/whole_number.h"

namespace dppl {
namespace {

constexpr std::string_view kTitle = "dppl embed shard 1\n";

// The rest of the next line if that begins with `word` and a blank.
std::optional<std::string_view> take(std::string_view& text, std::string_view word) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with(word) || text[word.size()] != ' ') return std::nullopt;
  const std::string_view value = text.substr(word.size() + 1, end - word.size() - 1);
  text.remove_prefix(end + 1);
  return value;
}

std::optional<uint64_t> take_number(std::string_view& text, std::string_view word) {
  const auto value = take(text, word);
  return value ? whole_number(*value) : std::nullopt;
}

}  // namespace

std::optional<ShardRecord> ShardRecord::parse(std::string_view text) {
  const std::string_view whole = text;
  if (!text.starts_with(kTitle)) return std::nullopt;
  text.remove_prefix(kTitle.size());
  ShardRecord record;
  const auto identity = take(text, "identity"), output = identity ? take(text, "output") : std::nullopt;
  const auto rows = output ? take_number(text, "rows") : std::nullopt;
  if (!rows) return std::nullopt;
  record.identity = *identity;
  record.output = *output;
  record.rows = *rows;
  while (const auto bad = take_number(text, "bad")) record.bad.push_back(*bad);
  // Whatever else the text may hold, it is not what this would be written as.
  return record.to_text() == whole ? std::optional(record) : std::nullopt;
}

bool ShardRecord::fits(uint64_t images) const {
  return rows + bad.size() == images && std::is_sorted(bad.begin(), bad.end()) && (bad.empty() || bad.back() < images);
}

std::string ShardRecord::to_text() const {
  std::string text = fmt::format("{}identity {}\noutput {}\nrows {}\n", kTitle, identity, output, rows);
  for (const uint64_t image : bad) text += fmt::format("bad {}\n", image);
  return text + fmt::format("digest {}\n", to_hex(digest_of(text)));
}

}  // namespace dppl
