#pragma once

#include "cli/command.h"

namespace dppl::cli {

// --show-private-errors, for commands that read private records.
void add_private_errors_flag(CLI::App& command);
// Whether it was given: whoever reads standard error may see private records.
bool private_errors_shown();

}  // namespace dppl::cli
