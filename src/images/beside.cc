#include <fmt/format.h>

#include <filesystem>

#include "base/mapped_file.h"
#include "base/text_lines.h"
#include "dppl/error.h"
#include "images/sources.h"

namespace dppl {

std::string beside(const std::string& path, const std::string& name) {
  const std::filesystem::path found = std::filesystem::path(path).parent_path() / name;
  std::error_code ignored;
  return std::filesystem::is_regular_file(found, ignored) ? found.string() : std::string();
}

ClassSet classes_beside(const std::string& path, const std::string& name, size_t count) {
  const std::string names_path = beside(path, name);
  if (names_path.empty()) return ClassSet::numbered(count);
  const MappedFile file(names_path);
  std::string_view text = file.text();
  while (text.ends_with("\n\n")) text.remove_suffix(1);  // CIFAR-10's list ends so
  const std::vector<std::string_view> lines = text_lines(text, names_path);
  if (lines.size() != count) {
    throw InvalidInput(
        fmt::format("{}: {} names where the data set has {} classes; put the data set's own file there "
                    "or remove it",
                    names_path, lines.size(), count));
  }
  return ClassSet::named({lines.begin(), lines.end()});
}

}  // namespace dppl
