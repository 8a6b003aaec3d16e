#include "methods/choice_cache.h"

#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "model/model_header.h"

namespace dppl {
namespace {

std::string key_of(const std::string& question) {
  return to_hex(digest_of(std::as_bytes(std::span(question.data(), question.size()))));
}

}  // namespace

std::optional<Settings> cached_choice(const ChoiceCache& cache, const std::string& question) try {
  const auto answer = cache.find ? cache.find(key_of(question)) : std::nullopt;
  if (!answer) return std::nullopt;
  const auto json = nlohmann::json::parse(*answer);
  const Fields fields(json, "choice");
  if (fields.text("question") != question) return std::nullopt;
  return read_settings_json(fields.object("choice")).settings;
} catch (const std::exception&) {
  return std::nullopt;
}

void cache_choice(const ChoiceCache& cache, const std::string& question, const Settings& choice) {
  if (!cache.keep) return;
  cache.keep(key_of(question),
             nlohmann::ordered_json{{"question", question}, {"choice", settings_json(choice, 0)}}.dump(2) + "\n");
}

}  // namespace dppl
