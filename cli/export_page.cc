#include "cli/export_page.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>

#include "dppl/page.h"

namespace dppl::cli {

void PageOptions::add_to(CLI::App& command) {
  command.add_option("--page", folder_, "A page to write that classifies in the visitor's browser")->type_name("DIR");
  const AdvancedGroup page(command, "The page");
  public_images_.add_to(command, page);
  page.add_option("--title", title_, "The page's heading")->type_name("TEXT");
}

void PageOptions::check() const {
  public_images_.check();
  if (!given() && !title_.empty()) throw CLI::ValidationError("--title", "goes with --page");
  if (!given() && public_images_.given()) throw CLI::ValidationError("--images", "goes with --page");
}

nlohmann::ordered_json PageOptions::write(PublishedModel published, const OnnxExportOptions& onnx, unsigned threads,
                                          bool says_so) {
  write_page({.title = title_,
              .published = std::move(published),
              .onnx = onnx,
              .images = public_images_.open_images(),
              .pool = public_images_.open_pool(threads),
              .threads = threads},
             folder_);
  const std::string path = (std::filesystem::path(folder_) / "index.html").string();
  const uint64_t bytes = std::filesystem::file_size(path);
  if (says_so)
    std::cerr << fmt::format("{}: {:.1f} MB; open it in a browser\n", path, static_cast<double>(bytes) / 1e6);
  return {{"path", path}, {"bytes", bytes}};
}

}  // namespace dppl::cli
