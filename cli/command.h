#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "dppl/rational.h"

// One file per command: it declares its options, calls the library and prints. A command reports bad input by throwing
// dppl::Error (exit status 1) and wrong usage by throwing CLI::ValidationError or another CLI::ParseError (exit status
// 2).
//
// `--help` fits one screen: the options that most people need, and a worked example. All other options belong to a
// named group, which only `--help-all` shows:
//
//   const AdvancedGroup mean(*command, "Settings of mean");
//   mean.add_option("--shrink", options->shrink, "Pull uncertain classes towards the pool")->capture_default_str();
namespace dppl::cli {

// The worked example is shown below the list of options.
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& example);

// Options of a command that only `--help-all` shows, under this name. Two groups of the same name are one.
class AdvancedGroup {
 public:
  AdvancedGroup(CLI::App& command, std::string name) : command_(command), name_(std::move(name)) {}

  template <typename... Arguments>
  CLI::Option* add_option(Arguments&&... arguments) const {
    return command_.add_option(std::forward<Arguments>(arguments)...)->group(name_);
  }
  template <typename... Arguments>
  CLI::Option* add_flag(Arguments&&... arguments) const {
    return command_.add_flag(std::forward<Arguments>(arguments)...)->group(name_);
  }

 private:
  CLI::App& command_;
  std::string name_;
};

// For options that many commands share and few people need.
inline constexpr const char* kOtherOptions = "Other options";

// --threads, under "Other options".
CLI::Option* add_threads(CLI::App& command, unsigned& threads,
                         const std::string& description = "Threads; they never change the result");

// MODEL.dppl, which the command needs.
CLI::Option* add_model(CLI::App& command, std::string& model);
// --json.
CLI::Option* add_json(CLI::App& command, bool& json);

// --show-private-errors, for commands that read private records.
void add_private_errors_flag(CLI::App& command);
// Whether it was given: whoever reads standard error may see private records.
bool private_errors_shown();

// Of digits alone; nothing for any other text, or beyond 64 bits.
std::optional<uint64_t> whole_number(std::string_view text);

// A number as JSON: exact, and near enough for plots (null beyond the range of doubles).
nlohmann::ordered_json exact_json(const Rational& value);

// One JSON object on standard output; everything for people goes to standard error when JSON was asked for.
void print_json(const nlohmann::ordered_json& value);

void add_account(CLI::App& app);
void add_audit(CLI::App& app);
void add_embed(CLI::App& app);
void add_eval(CLI::App& app);
void add_export(CLI::App& app);
void add_fit(CLI::App& app);
void add_predict(CLI::App& app);
void add_inspect(CLI::App& app);
void add_ledger(CLI::App& app);
void add_longtail(CLI::App& app);
void add_pool(CLI::App& app);
void add_report(CLI::App& app);
void add_serve(CLI::App& app);
void add_sweep(CLI::App& app);
void add_tune(CLI::App& app);

}  // namespace dppl::cli
