#include "cli/private_errors.h"

namespace dppl::cli {
namespace {

bool shown = false;

}  // namespace

void add_private_errors_flag(CLI::App& command) {
  AdvancedGroup(command, kOtherOptions)
      .add_flag("--show-private-errors", shown,
                "Say which record is refused and what it holds; only where nobody else reads the messages");
}

bool private_errors_shown() { return shown; }

}  // namespace dppl::cli
