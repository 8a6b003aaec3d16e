#pragma once

#include <CLI/CLI.hpp>

namespace dppl::cli {

// What `--help` and `--help-all` print, 100 columns wide. `--help` leaves out the named groups of options (see
// AdvancedGroup) and says how many options they hold.
class HelpPage : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* command, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace dppl::cli
