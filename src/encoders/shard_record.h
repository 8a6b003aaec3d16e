#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dppl {

// What stands beside the finished rows of a shard, in OUTPUT.shard: of which run they are, and their digest. By it a
// run that comes again knows that there is nothing left to do.
struct ShardRecord {
  std::string identity;  // a digest, of all that decides what the rows will be
  std::string output;    // of the file of rows
  uint64_t rows = 0;
  std::vector<uint64_t> bad;  // images that have no row, in order

  static std::string path_for(const std::string& output) { return output + ".shard"; }
  // Empty for a text that was not written by to_text().
  static std::optional<ShardRecord> parse(std::string_view text);
  std::string to_text() const;
  // Whether it can be of so many images.
  bool fits(uint64_t images) const;
};

}  // namespace dppl
