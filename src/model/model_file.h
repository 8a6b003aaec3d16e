#pragma once

#include <string>
#include <string_view>

#include "dppl/model.h"

// A model file, little endian throughout:
//   8 bytes   magic
//   u32       version of the format
//   u64       length of the header
//   header    JSON, then spaces up to a multiple of 64 bytes from the start of the file
//   sections  arrays; each starts at a multiple of 64 bytes, with zeros before it; offsets count from the end of the
//   header 32 bytes  BLAKE2b-256 of everything before
// Model and bytes determine each other: nothing depends on the time or the machine, and a file that says the same in
// other bytes is refused. So there is no room for anything that inspect does not show, and no two readers can read two
// different guarantees. Magic, version and checksum stay where they are in later versions.
namespace dppl {

inline constexpr std::string_view kModelMagic =
    "\x89"
    "DPPL\r\n\x1a";  // changed by a transfer that changes line ends
inline constexpr size_t kModelPrefix = 20;
inline constexpr size_t kModelAlignment = 64;
inline constexpr size_t kModelChecksum = 32;

// A file of these parts, right or wrong, with the right checksum.
std::string assemble_model_file(std::string_view header, std::string_view data, uint32_t version = Model::kVersion);
// The checksum of `bytes`, as it stands in the file.
std::string model_checksum(std::string_view bytes);

}  // namespace dppl
