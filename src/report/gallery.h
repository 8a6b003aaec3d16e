#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "dppl/report.h"
#include "report/html.h"

namespace dppl {

// The public images that stand for the classes of one model.
struct Gallery {
  const Model* model = nullptr;
  bool chosen = true;  // false: not the prototypes but the public images nearest to them
  size_t per_class = 1;
  std::vector<uint64_t> images = {};  // numbers in the source, class after class
};

// Empty where a model has none: it was made without a pool, or of noisy means and the pool is not here. Throws
// InvalidInput where the images or the pool are not the ones it was made with.
std::optional<Gallery> find_gallery(std::string_view name, const Model& model, const PoolImages& images,
                                    const std::optional<PublicData>& pool, unsigned threads);

// What the galleries of one page share: where images are, how large they are shown, and how many may still be.
struct ShownImages {
  ShownImages(const ImageSource& from, size_t images);

  const ImageSource& source;
  size_t side;
  size_t left;
};

// A figure per class, class after class; of many classes the later ones behind a click.
void write_gallery(HtmlWriter& out, const Gallery& gallery, ShownImages& shown);

}  // namespace dppl
