#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <string_view>
#include <system_error>

#include "dppl/error.h"

namespace dppl {

// The error of the system call that has just failed, e.g. "model.dppl: cannot write: No space left on device".
inline IoError system_error(std::string_view path, std::string_view what, int error = errno) {
  return IoError(fmt::format("{}: {}: {}", path, what, std::system_category().message(error)));
}

}  // namespace dppl
