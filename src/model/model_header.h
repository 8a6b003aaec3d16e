#pragma once

#include <nlohmann/json.hpp>

#include "dppl/model.h"

namespace dppl {

// A JSON object from a file, read key by key. Every access throws InvalidInput when the key is missing or holds
// something else.
class Fields {
 public:
  // `path` is what messages call it, e.g. "header".
  Fields(const nlohmann::json& json, std::string path);

  bool has(const char* key) const { return json_->contains(key); }
  std::string text(const char* key) const;
  uint64_t number(const char* key, uint64_t most = UINT64_MAX) const;
  double real(const char* key) const;
  bool flag(const char* key) const;
  Rational rational(const char* key) const;
  std::optional<Rational> maybe_rational(const char* key) const;  // null: empty
  std::vector<uint64_t> numbers(const char* key) const;
  Fields object(const char* key) const;
  std::optional<Fields> maybe_object(const char* key) const;
  const nlohmann::json& array(const char* key) const;
  const nlohmann::json& at(const char* key) const;

 private:
  [[noreturn]] void fail(const char* key, std::string_view what) const;

  const nlohmann::json* json_;
  std::string path_;
};

// Settings as model files have them (settings_file.cc). size_share: Model::size_share.
nlohmann::ordered_json settings_json(const Settings& settings, const Rational& size_share);
struct FileSettings {
  Settings settings;
  Rational size_share;
};
FileSettings read_settings_json(const Fields& fields);

// What a model says of its pool (null: it has none) and of public knowledge, in its file as in its description.
nlohmann::ordered_json to_json(const std::optional<Model::PoolIdentity>& pool);
nlohmann::ordered_json to_json(const Model::KnowledgeUse& use);

// Everything in a model but its arrays. Rationals are exact fractions.
nlohmann::ordered_json model_header(const Model& model);
// The reverse. The arrays are empty; the transform has no more than its input dimension (see
// settings).
Model read_model_header(const Fields& header);

}  // namespace dppl
