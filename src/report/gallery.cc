#include "report/gallery.h"

#include <fmt/format.h>

#include <algorithm>

#include "dppl/classify.h"
#include "dppl/error.h"
#include "images/resize.h"
#include "report/constants.h"
#include "report/png.h"
#include "rows/pool_shards.h"
#include "rows/public_access.h"

namespace dppl {
namespace {

// ---- Which images

// For every class the `count` rows of the pool that the model finds most like it, nearest first; of equal ones the
// earlier.
std::vector<uint64_t> nearest_pool_rows(Model model, const PublicData& pool, size_t count, unsigned threads) {
  using Scored = std::pair<float, uint64_t>;
  std::vector<std::vector<Scored>> best(model.classes.size());
  const auto take = [&](uint64_t first, std::span<const float> scores, std::span<const int32_t> nearest) {
    for (size_t i = 0; i < nearest.size(); ++i) {
      for (size_t c = 0; c < best.size(); ++c) {
        const Scored candidate{scores[i * best.size() + c], first + i};
        const auto after = std::upper_bound(best[c].begin(), best[c].end(), candidate,
                                            [](const Scored& a, const Scored& b) { return a.first > b.first; });
        best[c].insert(after, candidate);
        if (best[c].size() > count) best[c].pop_back();
      }
    }
  };
  // A pool file with a transform holds rows that are transformed already.
  if (stored_transform(pool)) model.transform = PublicTransform::restore({}, model.output_dim(), {}, {});
  Classifier(model, threads).score(pool.embeddings(), take);
  std::vector<uint64_t> rows;
  for (const auto& of_class : best) {
    for (const Scored& one : of_class) rows.push_back(one.second);
  }
  return rows;
}

// A pool file made of some rows of its source knows which.
const PoolShards* prepared_pool(const std::optional<PublicData>& pool) {
  return pool ? PublicAccess(*pool).shards() : nullptr;
}

void check_images(std::string_view name, const Model& model, const PoolImages& images,
                  const std::optional<PublicData>& pool) {
  const uint64_t there = images.source.get().size();
  if (images.first > there || images.count > there - images.first) {
    throw InvalidInput(fmt::format("images {} to {}: there are {}; give a range within them", images.first,
                                   images.first + images.count, there));
  }
  if (pool && pool->digest() != model.pool->digest) {
    throw InvalidInput(fmt::format("{}: is not the pool that {} was made with, or it was changed since",
                                   pool->embeddings().path(), name));
  }
  if (!prepared_pool(pool) && images.count != model.pool->rows) {
    throw InvalidInput(
        fmt::format("{}: its pool has {} rows, but there are {} images; give the images of the pool, one per row, or "
                    "the range of images that is",
                    name, model.pool->rows, images.count));
  }
}

std::vector<uint64_t> images_of(std::vector<uint64_t> rows, const PoolImages& images,
                                const std::optional<PublicData>& pool) {
  const PoolShards* prepared = prepared_pool(pool);
  for (uint64_t& row : rows) {
    if (prepared) row = prepared->id(row);
    if (row >= images.count) {
      throw InvalidInput(
          fmt::format("pool: row {} has no image, there are {}; give the images of the whole pool", row, images.count));
    }
    row += images.first;
  }
  return rows;
}

// ---- How they are shown

// The image, or a smaller one of the same shape where a side is longer than `most` pixels.
Image thumbnail(const Image& image, size_t most) {
  const size_t longest = std::max(image.width, image.height);
  if (longest <= most) return image;
  const auto scaled = [&](size_t side) { return std::max<size_t>(side * most / longest, 1); };
  return resize(image, scaled(image.width), scaled(image.height), Interpolation::bilinear);
}

void write_image(HtmlWriter& out, const ShownImages& shown, uint64_t number, const std::string& words) {
  const Image image = thumbnail(shown.source.read_at_least(number, {2 * shown.side, 2 * shown.side}), shown.side);
  const bool crisp = std::max(image.width, image.height) <= kCrispSide;
  out.leaf("img", {{"src", png_data_uri(image)},
                   {"width", std::to_string(image.width)},
                   {"height", std::to_string(image.height)},
                   {"class", crisp ? "crisp" : ""},
                   {"alt", words},
                   {"title", words}});
}

void write_classes(HtmlWriter& out, const Gallery& gallery, size_t begin, size_t end, ShownImages& shown) {
  const bool many = gallery.per_class > 1;
  out.element("div", {{"class", many ? "gallery wide" : "gallery"}}, [&] {
    for (size_t c = begin; c < end; ++c) {
      const std::string name = gallery.model->classes.name(c);
      const auto images = std::span(gallery.images).subspan(c * gallery.per_class, gallery.per_class);
      out.element("figure", {}, [&] {
        out.element("div", {{"class", many ? "images many" : "images"}}, [&] {
          for (const uint64_t number : images) {
            write_image(out, shown, number,
                        fmt::format("{} of {}: public image {}", gallery.chosen ? "prototype" : "nearest public image",
                                    name, number));
          }
        });
        out.text_element("figcaption", name);
      });
      shown.left -= images.size();
    }
  });
}

}  // namespace

std::optional<Gallery> find_gallery(std::string_view name, const Model& model, const PoolImages& images,
                                    const std::optional<PublicData>& pool, unsigned threads) {
  if (!model.pool) return std::nullopt;
  check_images(name, model, images, pool);
  if (!model.pool_indices.empty())
    return Gallery{&model, true, model.prototypes_per_class, images_of(model.pool_indices, images, pool)};
  if (!pool) return std::nullopt;
  const size_t count = std::min(kNearestImages, pool->size());
  return Gallery{&model, false, count, images_of(nearest_pool_rows(model, *pool, count, threads), images, pool)};
}

ShownImages::ShownImages(const ImageSource& from, size_t images)
    : source(from), side(images < kSmallFrom ? kImageSide : kSmallImageSide), left(kMostImages) {}

void write_gallery(HtmlWriter& out, const Gallery& gallery, ShownImages& shown) {
  const size_t classes = gallery.model->classes.size();
  const size_t all = std::min(classes, shown.left / gallery.per_class), open = std::min(all, kOpenGalleries);
  write_classes(out, gallery, 0, open, shown);
  if (all > open) {
    out.element("details", {}, [&] {
      out.text_element("summary", fmt::format("{} more classes", all - open));
      write_classes(out, gallery, open, all, shown);
    });
  }
  if (classes > all) {
    out.paragraph(fmt::format("{} further classes are not shown; the model's description lists them.", classes - all),
                  "note");
  }
}

}  // namespace dppl
