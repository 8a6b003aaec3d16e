#pragma once

#include "dppl/embed.h"
#include "support/memory_images.h"
#include "support/temp_dir.h"

namespace dppl::testing {

inline EmbedOptions options_for(const TempDir& dir) {
  EmbedOptions options;
  options.output = dir.path("x.npy");
  options.batch = 4;
  return options;
}

// Two pictures per person, by their paths and in a column.
class PeoplesImages : public MemoryImages {
 public:
  explicit PeoplesImages(size_t size, std::vector<size_t> bad = {}) : MemoryImages(size, std::move(bad)) {
    for (size_t i = 0; i < size; ++i) {
      names_.push_back("set/p" + std::to_string(i / 2) + "/" + std::to_string(i) + ".png");
      people_.push_back("Jane Dœ " + std::to_string(i / 2));
    }
  }
  std::string name(size_t i) const override { return names_.at(i); }
  std::optional<std::vector<std::string>> people() const override { return people_; }

  std::vector<std::string> names_, people_;
};

inline EmbedOptions people_options(const TempDir& dir, const std::string& pattern = "") {
  EmbedOptions options = options_for(dir);
  options.people = dir.path("p.txt");
  options.people_pattern = pattern;
  return options;
}

}  // namespace dppl::testing
