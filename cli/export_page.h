#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/pool_images.h"
#include "dppl/export.h"

namespace dppl::cli {

// --page and what goes with it: a page that classifies in the visitor's browser.
class PageOptions {
 public:
  void add_to(CLI::App& command);
  // Throws CLI::ValidationError for options that do not go together.
  void check() const;
  bool given() const { return !folder_.empty(); }
  // Writes the page and, if asked, says so; returns the same as JSON.
  nlohmann::ordered_json write(PublishedModel published, const OnnxExportOptions& onnx, unsigned threads, bool says_so);

 private:
  std::string folder_, title_;
  PoolImageOptions public_images_;
};

}  // namespace dppl::cli
