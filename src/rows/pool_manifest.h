#pragma once

#include <string>
#include <string_view>

#include "dppl/pool.h"

// The list of the shards of a pool, a text:
//   dppl pools 1
//   content DIGEST       of the pool, however it is cut (rows/pool_format.h)
//   rows N               of the pool
//   FILE ROWS DIGEST     of each shard, in order: the name relative to the manifest, its rows, PoolInfo::digest of it
//   digest DIGEST        of the lines above
namespace dppl {

inline constexpr std::string_view kManifestTitle = "dppl pools ";

// Trusts nothing in the text: throws InvalidInput, beginning with `name`.
PoolManifest parse_manifest(std::string_view text, const std::string& name);
// Throws InvalidInput for a file name that cannot stand in a line.
std::string to_text(const PoolManifest& manifest);

}  // namespace dppl
