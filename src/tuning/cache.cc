#include "tuning/cache.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/atomic_file.h"
#include "base/digest.h"
#include "model/model_header.h"

namespace dppl {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> file_of(const std::string& question) {
  fs::path directory;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != 0) {
    directory = cache;
  } else if (const char* home = std::getenv("HOME"); home != nullptr && *home != 0) {
    directory = fs::path(home) / ".cache";
  } else {
    return std::nullopt;
  }
  const Digest digest = digest_of(std::as_bytes(std::span(question.data(), question.size())));
  return directory / "dppl" / (to_hex(digest) + ".json");
}

}  // namespace

std::optional<Hyperparameters> cached_choice(const std::string& question) try {
  const auto path = file_of(question);
  if (!path) return std::nullopt;
  std::ifstream file(*path);
  if (!file) return std::nullopt;
  const auto json = nlohmann::json::parse(file);
  const Fields fields(json, path->string());
  if (fields.text("question") != question) return std::nullopt;
  return read_hyperparameters(fields.object("choice"));
} catch (const std::exception&) {
  return std::nullopt;
}

void cache_choice(const std::string& question, const Hyperparameters& choice) try {
  const auto path = file_of(question);
  if (!path) return;
  fs::create_directories(path->parent_path());
  const std::string text =
      nlohmann::ordered_json{{"question", question}, {"choice", hyperparameters_json(choice)}}.dump(2) + "\n";
  AtomicFile file(path->string());
  file.write(std::as_bytes(std::span(text.data(), text.size())));
  file.commit();
} catch (const std::exception&) {
}

}  // namespace dppl
