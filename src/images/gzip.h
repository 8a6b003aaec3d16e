#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace dppl {

bool is_gzip(std::span<const std::byte> file);

// What a gzip file unpacks to, its first `limit` bytes at most. Throws InvalidInput, beginning with `name`, when it is
// damaged or cut short before that. Takes memory for what comes out, not for what the file claims.
std::vector<std::byte> gunzip(std::span<const std::byte> file, std::string_view name, size_t limit);

}  // namespace dppl
