#include "cli/paths.h"

#include <fmt/format.h>

#include <filesystem>

#include "dppl/error.h"

namespace dppl::cli {
namespace {

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  return std::filesystem::weakly_canonical(a, error) == std::filesystem::weakly_canonical(b, error);
}

}  // namespace

void refuse_overwriting(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    if (output->empty()) continue;
    for (const std::string& input : inputs) {
      if (!input.empty() && same_file(*output, input)) {
        throw InvalidInput(fmt::format("{}: is an input of this command; name another file to write", *output));
      }
    }
    for (auto other = outputs.begin(); other != output; ++other) {
      if (!other->empty() && same_file(*output, *other)) {
        throw InvalidInput(fmt::format("{}: is to be written twice; name two files", *output));
      }
    }
  }
}

std::pair<std::string, std::string> split_name(const std::string& argument) {
  const size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0 || std::filesystem::exists(argument)) return {"", argument};
  return {argument.substr(0, equals), argument.substr(equals + 1)};
}

}  // namespace dppl::cli
