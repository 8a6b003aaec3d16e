#include "cli/pool_images.h"

#include <fmt/format.h>

#include "dppl/error.h"

namespace dppl::cli {
namespace {

uint64_t read_number(std::string_view text) {
  if (const auto number = whole_number(text)) return *number;
  throw CLI::ValidationError("--image-rows", fmt::format("'{}' is not a row number; give FIRST:END", text));
}

PoolImages choose_images(const ImageSource& source, const std::string& range) {
  if (range.empty()) return {source, 0, source.size()};
  const size_t colon = std::min(range.find(':'), range.size());
  const uint64_t first = read_number(std::string_view(range).substr(0, colon));
  const uint64_t end = read_number(std::string_view(range).substr(std::min(colon + 1, range.size())));
  if (end <= first || end > source.size()) {
    throw InvalidInput(fmt::format("--image-rows {}: there are {} images; give FIRST:END with FIRST < END ≤ {}", range,
                                   source.size(), source.size()));
  }
  return {source, first, end - first};
}

}  // namespace

void PoolImageOptions::add_to(CLI::App& command, const AdvancedGroup& advanced) {
  command
      .add_option("--images", images_,
                  "The public images that the pool was made from, in the same order: anything 'dppl embed' takes")
      ->type_name("IMAGES");
  command
      .add_option("--pool", pool_, "The pool: also shows the public images nearest to each prototype of a mean model")
      ->type_name("P.npy|P.pool|P.pools");
  advanced
      .add_option("--image-rows", image_rows_,
                  "The part of the images that is the pool, counted from 0; END is not included")
      ->option_text("FIRST:END");
}

void PoolImageOptions::check() const {
  if (images_.empty() && !image_rows_.empty()) throw CLI::ValidationError("--image-rows", "goes with --images");
  if (images_.empty() && !pool_.empty()) throw CLI::ValidationError("--pool", "goes with --images");
}

std::optional<PoolImages> PoolImageOptions::open_images() {
  if (images_.empty()) return std::nullopt;
  source_ = dppl::open_images(images_);
  return choose_images(*source_, image_rows_);
}

std::optional<PublicData> PoolImageOptions::open_pool(unsigned threads) const {
  if (pool_.empty()) return std::nullopt;
  return PublicData::open(pool_, threads);
}

}  // namespace dppl::cli
