#include "cli/help_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace dppl::cli {
namespace {

constexpr size_t kPageWidth = 100;
constexpr size_t kMaxNameWidth = 30;
constexpr const char* kCommonGroup = "Options";  // CLI11's name for the options that are in no group

using Entries = std::vector<std::pair<std::string, std::string>>;  // a name, and what it means

// In characters, not in bytes: "ε" is one.
size_t width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

std::string wrap(const std::string& text, size_t indent) {
  std::istringstream words(text);
  std::string lines, word;
  size_t column = indent;
  while (words >> word) {
    if (column > indent && column + 1 + width(word) > kPageWidth) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += width(word);
  }
  return lines;
}

std::string make_section(const std::string& title, const Entries& entries) {
  if (entries.empty()) return "";
  size_t name_width = 0;
  for (const auto& [name, meaning] : entries) {
    if (width(name) <= kMaxNameWidth) name_width = std::max(name_width, width(name));
  }
  const size_t indent = name_width + 4;
  std::string section = "\n" + title + ":\n";
  for (const auto& [name, meaning] : entries) {
    section += "  " + name;
    section += width(name) > name_width ? "\n" + std::string(indent, ' ') : std::string(indent - 2 - width(name), ' ');
    section += wrap(meaning, indent) + "\n";
  }
  return section;
}

// CLI11 says "UINT:INT in [1 - 1024]" or "TEXT:{on,off}"; people want "N" and "on|off". A name that has a colon of its
// own is given as option_text.
std::string value_name(const CLI::Option& option) {
  if (!option.get_option_text().empty()) return option.get_option_text();
  const std::string full = option.get_type_name();
  const size_t colon = full.find(':');
  if (colon != std::string::npos && full[colon + 1] == '{') {
    std::string choices = full.substr(colon + 2, full.find('}') - colon - 2);
    std::replace(choices.begin(), choices.end(), ',', '|');
    return choices;
  }
  const std::string name = full.substr(0, colon);
  if (name == "UINT" || name == "INT") return "N";
  if (name == "FLOAT") return "X";
  return name;
}

bool is_flag(const CLI::Option& option) { return option.get_type_size() == 0; }

std::string positional_name(const CLI::Option& option) {
  const std::string type = value_name(option);
  return (type == "TEXT" ? option.get_name(true) : type) +
         (option.get_expected_max() >= CLI::detail::expected_max_vector_size ? "..." : "");
}

std::string describe_name(const CLI::Option& option) {
  if (option.get_positional()) return positional_name(option);
  const std::string value = is_flag(option) ? "" : value_name(option);
  return option.get_name(false, true) + (value.empty() ? "" : " " + value);
}

std::string describe_meaning(const CLI::Option& option) {
  std::string meaning = option.get_description();
  if (option.get_required() && !option.get_positional()) meaning += " (required)";
  for (const CLI::Option* other : option.get_needs()) meaning += fmt::format(" (needs {})", other->get_name());
  if (!is_flag(option) && !option.get_default_str().empty()) {
    meaning += fmt::format(" (default: {})", option.get_default_str());
  }
  return meaning;
}

// The options of one group, without the help flags, which the last line of the page explains.
Entries entries_of(const CLI::App& command, const std::string& group) {
  Entries entries;
  for (const CLI::Option* option : command.get_options()) {
    if (option == command.get_help_ptr() || option == command.get_help_all_ptr()) continue;
    if (option->get_group() == group) entries.emplace_back(describe_name(*option), describe_meaning(*option));
  }
  return entries;
}

// CLI11's option groups, whose options depend on each other, are commands without a name.
bool is_option_group(const CLI::App& command) { return command.get_name().empty(); }

std::string make_usage(const CLI::App& command, const std::string& name) {
  std::string usage = "Usage: " + name;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    usage += " " + (option->get_required() ? positional_name(*option) : "[" + positional_name(*option) + "]");
  }
  return usage + (command.get_require_subcommand_min() > 0 ? " COMMAND" : "") + " [OPTIONS]\n";
}

std::string make_page(const CLI::App& command, const std::string& name, bool with_advanced) {
  std::string page = wrap(command.get_description(), 0) + "\n" + make_usage(command, name);
  Entries commands;
  std::string option_groups;
  for (const CLI::App* part : command.get_subcommands({})) {
    if (is_option_group(*part)) {
      option_groups += make_section(part->get_description(), entries_of(*part, kCommonGroup));
    } else {
      commands.emplace_back(part->get_name(), part->get_description());
    }
  }
  page += make_section("Commands", commands);
  page += make_section(kCommonGroup, entries_of(command, kCommonGroup)) + option_groups;
  size_t advanced = 0;
  for (const std::string& group : command.get_groups()) {
    if (group == kCommonGroup) continue;
    const Entries entries = entries_of(command, group);
    advanced += entries.size();
    if (with_advanced) page += make_section(group, entries);
  }
  page += "\n" + command.get_footer() + "\n";
  if (advanced > 0 && !with_advanced) {
    page += fmt::format("\n--help-all shows {} more option{}.\n", advanced, advanced == 1 ? "" : "s");
  }
  return page;
}

}  // namespace

std::string HelpPage::make_help(const CLI::App* command, std::string name, CLI::AppFormatMode mode) const {
  const bool with_advanced = mode != CLI::AppFormatMode::Normal;
  std::string pages = make_page(*command, name, with_advanced);
  if (!with_advanced) return pages;
  for (const CLI::App* part : command->get_subcommands({})) {
    if (!is_option_group(*part)) pages += "\n\n" + part->help(name, mode);
  }
  return pages;
}

}  // namespace dppl::cli
