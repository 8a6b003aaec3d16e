#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/command.h"
#include "dppl/report.h"

namespace dppl::cli {

// --images, --image-rows and --pool: the public images that a model's prototypes are shown by.
class PoolImageOptions {
 public:
  // `advanced` takes what few people need.
  void add_to(CLI::App& command, const AdvancedGroup& advanced);
  // Throws CLI::ValidationError for options that do not go together.
  void check() const;
  bool given() const { return !images_.empty(); }
  // Opens what was given. The images are this object's, and live as long as it does.
  std::optional<PoolImages> open_images();
  std::optional<PublicData> open_pool(unsigned threads) const;

 private:
  std::string images_, image_rows_, pool_;
  std::unique_ptr<ImageSource> source_;
};

}  // namespace dppl::cli
