#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

// One file a command: it declares its options, calls the library and prints. A command reports bad input by throwing
// dppl::Error (exit status 1) and wrong usage by throwing CLI::ValidationError or another CLI::ParseError (exit status
// 2).
namespace dppl::cli {

// Options that belong together show their worked example below the list of options.
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& example);

// One JSON object on standard output; everything for people goes to standard error when JSON was asked for.
void print_json(const nlohmann::ordered_json& value);

void add_account(CLI::App& app);
void add_audit(CLI::App& app);
void add_embed(CLI::App& app);
void add_eval(CLI::App& app);
void add_fit(CLI::App& app);
void add_predict(CLI::App& app);
void add_inspect(CLI::App& app);
void add_ledger(CLI::App& app);
void add_longtail(CLI::App& app);
void add_pool(CLI::App& app);
void add_report(CLI::App& app);
void add_sweep(CLI::App& app);
void add_tune(CLI::App& app);

}  // namespace dppl::cli
