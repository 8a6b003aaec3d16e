#include "cli/choice_cache.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace dppl::cli {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> cache_directory() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != 0)
    return fs::path(cache) / "dppl";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != 0) return fs::path(home) / ".cache" / "dppl";
  return std::nullopt;
}

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Written aside and renamed, so that another process never reads half of it.
void write_file(const fs::path& path, const std::string& text) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  const fs::path aside = path.string() + "." + std::to_string(::getpid());
  const bool written = static_cast<bool>(std::ofstream(aside) << text << std::flush);
  if (written) fs::rename(aside, path, ignored);
  if (!written || ignored) fs::remove(aside, ignored);
}

}  // namespace

ChoiceCache user_choice_cache() {
  const auto directory = cache_directory();
  if (!directory) return {};
  const auto file = [directory](const std::string& key) { return *directory / (key + ".json"); };
  return {.find = [file](const std::string& key) { return read_file(file(key)); },
          .keep = [file](const std::string& key, const std::string& answer) { write_file(file(key), answer); }};
}

}  // namespace dppl::cli
