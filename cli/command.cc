#include "cli/command.h"

#include <charconv>
#include <cstdlib>
#include <iostream>

namespace dppl::cli {
namespace {

bool shows_private_errors = false;

}  // namespace

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& example) {
  CLI::App* command = app.add_subcommand(name, description);
  command->footer("Example:\n" + example);
  return command;
}

CLI::Option* add_threads(CLI::App& command, unsigned& threads, const std::string& description) {
  return AdvancedGroup(command, kOtherOptions)
      .add_option("--threads", threads, description)
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
}

CLI::Option* add_model(CLI::App& command, std::string& model) {
  return command.add_option("model", model, "The model")->required()->type_name("MODEL.dppl");
}

CLI::Option* add_json(CLI::App& command, bool& json) {
  return command.add_flag("--json", json, "One JSON object on standard output");
}

void add_private_errors_flag(CLI::App& command) {
  AdvancedGroup(command, kOtherOptions)
      .add_flag("--show-private-errors", shows_private_errors,
                "Say which record is refused and what it holds; only where nobody else reads the messages");
}

bool private_errors_shown() { return shows_private_errors; }

std::optional<uint64_t> whole_number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

nlohmann::ordered_json exact_json(const Rational& value) {
  return {{"exact", to_string(value)}, {"value", std::strtod(to_decimal(value, 20, Rounding::up).c_str(), nullptr)}};
}

void print_json(const nlohmann::ordered_json& value) {
  // A file's name may be no UTF-8; what was done is told all the same.
  std::cout << value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << std::endl;
}

}  // namespace dppl::cli
