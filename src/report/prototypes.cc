#include <fmt/format.h>

#include <algorithm>

#include "report/gallery.h"
#include "report/pieces.h"
#include "report/png.h"
#include "report/sections.h"
#include "report/thumbnail.h"

namespace dppl {
namespace {

constexpr size_t kOpenClasses = 40;   // more of them wait behind a click
constexpr size_t kMostImages = 3000;  // of all models together
constexpr size_t kSmallFrom = 400;    // images: from here on they are smaller
constexpr size_t kSide = 96, kSmallSide = 48;
constexpr size_t kCrispSide = 64;  // up to here pixels are shown as squares

struct Shown {
  const ImageSource& source;
  size_t side;
  size_t left;  // images that may still be shown
};

void write_image(HtmlWriter& out, const Shown& shown, uint64_t number, const std::string& words) {
  const Image image = thumbnail(shown.source.read_at_least(number, {2 * shown.side, 2 * shown.side}), shown.side);
  const bool crisp = std::max(image.width, image.height) <= kCrispSide;
  out.leaf("img", {{"src", png_data_uri(image)},
                   {"width", std::to_string(image.width)},
                   {"height", std::to_string(image.height)},
                   {"class", crisp ? "crisp" : ""},
                   {"alt", words},
                   {"title", words}});
}

void write_class(HtmlWriter& out, const Gallery& gallery, size_t index, Shown& shown) {
  const std::string name = gallery.model->model.classes.name(index);
  const std::string_view kind = gallery.chosen ? "prototype" : "nearest public image";
  out.element("figure", {}, [&] {
    out.element("div", {{"class", gallery.per_class > 1 ? "images many" : "images"}}, [&] {
      for (size_t k = 0; k < gallery.per_class; ++k) {
        const uint64_t number = gallery.images[index * gallery.per_class + k];
        write_image(out, shown, number, fmt::format("{} of {}: public image {}", kind, name, number));
        --shown.left;
      }
    });
    out.text_element("figcaption", name);
  });
}

void write_classes(HtmlWriter& out, const Gallery& gallery, size_t begin, size_t end, Shown& shown) {
  out.element("div", {{"class", gallery.per_class > 1 ? "gallery wide" : "gallery"}}, [&] {
    for (size_t c = begin; c < end; ++c) write_class(out, gallery, c, shown);
  });
}

// What is to be seen, once for all models.
void write_words(HtmlWriter& out, const std::vector<Gallery>& all) {
  const auto any = [&](bool chosen) {
    return std::any_of(all.begin(), all.end(), [&](const Gallery& gallery) { return gallery.chosen == chosen; });
  };
  if (any(true)) {
    out.text_element("p",
                     "Where a method chooses public images, they are the prototypes themselves, and which of them were "
                     "chosen is all that was learned.");
  }
  if (any(false)) {
    out.text_element(
        "p",
        "Noisy means are not images. As an illustration, the public images nearest to them are shown; they "
        "were not chosen for the model.");
  }
}

void write_gallery(HtmlWriter& out, const Gallery& gallery, Shown& shown) {
  const size_t classes = gallery.model->model.classes.size();
  const size_t all = std::min(classes, shown.left / gallery.per_class), open = std::min(all, kOpenClasses);
  out.element("div", {{"class", "model"}}, [&] {
    out.element("h3", {}, [&] {
      out.text(gallery.model->name);
      out.text_element("span", short_guarantee(gallery.model->model), {{"class", "chip"}});
      out.text_element("span", gallery.chosen ? "the prototypes" : "nearest public images", {{"class", "kind"}});
    });
    write_classes(out, gallery, 0, open, shown);
    if (all > open) {
      out.element("details", {}, [&] {
        out.text_element("summary", fmt::format("{} more classes", all - open));
        write_classes(out, gallery, open, all, shown);
      });
    }
    if (classes > all) {
      out.text_element(
          "p", fmt::format("{} further classes are not shown; 'dppl inspect --json' lists them.", classes - all),
          {{"class", "note"}});
    }
  });
}

}  // namespace

void write_prototypes(HtmlWriter& out, const Report& report) {
  const std::vector<Gallery> all = galleries(report);
  if (all.empty()) return;
  size_t images = 0;
  for (const Gallery& gallery : all) images += gallery.images.size();
  Shown shown{report.images->source, images < kSmallFrom ? kSide : kSmallSide, kMostImages};
  section(out, "prototypes", "What stands for each class", [&] {
    write_words(out, all);
    for (const Gallery& gallery : all) write_gallery(out, gallery, shown);
  });
}

}  // namespace dppl
