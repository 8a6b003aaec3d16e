#include "cli/private_errors.h"

namespace dppl::cli {
namespace {

bool shown = false;

}  // namespace

void add_private_errors_flag(CLI::App& command) {
  command.add_flag("--show-private-errors", shown,
                   "Tell which record is refused and what it holds; only where nobody else reads the messages");
}

bool private_errors_shown() { return shown; }

}  // namespace dppl::cli
