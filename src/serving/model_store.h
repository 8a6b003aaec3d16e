#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dppl/classify.h"
#include "dppl/serving.h"

namespace dppl::serving {

// A model as it was read once. It never changes: requests that began with it end with it.
struct LoadedModel {
  std::string name;
  std::string digest;   // BLAKE2b-256 of the file, in hex
  std::string version;  // its beginning: what addresses and answers say
  ClassSet classes;
  Classifier classifier;  // computes on the thread that asks
  bool is_private;
  std::string guarantee;  // in words
  std::string metadata;   // JSON, as the protocol tells it
};
using ModelPointer = std::shared_ptr<const LoadedModel>;

// The models by name. Safe from any thread.
class ModelStore {
 public:
  // Throws for a name that cannot be used, and for a file that cannot be read.
  explicit ModelStore(std::vector<ServedFile> files);

  ModelPointer find(const std::string& name) const;  // null: there is none
  std::vector<ModelPointer> all() const;             // in the order in which they were given

  // Each model whose file can be read is replaced. Returns what was wrong with the others.
  std::vector<std::string> reload();

 private:
  const std::vector<ServedFile> files_;
  mutable std::mutex mutex_;
  std::map<std::string, ModelPointer> models_;
};

}  // namespace dppl::serving
