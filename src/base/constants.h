#pragma once

#include <cstddef>

namespace dppl {

// While all mapped files together are no larger than this, what was read of them stays in memory. Beyond, whoever has
// walked over a part gives it back, so that the resident set stays bounded; the system still keeps what it has room
// for.
inline constexpr size_t kResidentMappings = size_t{2} << 30;
// With a page that is read come those around it that the system keeps together, up to this far.
inline constexpr size_t kAlongWithAPage = size_t{2} << 20;

}  // namespace dppl
