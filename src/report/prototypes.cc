#include "report/gallery.h"
#include "report/page.h"
#include "report/sections.h"

namespace dppl {
namespace {

struct ModelGallery {
  std::string name;
  Gallery gallery;
};

std::vector<ModelGallery> galleries(const Report& report) {
  std::vector<ModelGallery> result;
  if (!report.images) return result;
  for (const ReportedModel& one : report.models) {
    if (auto found = find_gallery(one.name, one.model, *report.images, report.pool, report.threads))
      result.push_back({one.name, std::move(*found)});
  }
  return result;
}

void write_model(HtmlWriter& out, const ModelGallery& one, ShownImages& shown) {
  out.element("div", {{"class", "model"}}, [&] {
    out.element("h3", {}, [&] {
      out.text(one.name);
      out.text_element("span", short_guarantee(*one.gallery.model), {{"class", "chip"}});
      out.text_element("span", one.gallery.chosen ? "the prototypes" : "nearest public images", {{"class", "kind"}});
    });
    write_gallery(out, one.gallery, shown);
  });
}

}  // namespace

void write_prototypes(HtmlWriter& out, const Report& report) {
  const std::vector<ModelGallery> all = galleries(report);
  if (all.empty()) return;
  size_t images = 0, chosen = 0;
  for (const ModelGallery& one : all) {
    images += one.gallery.images.size();
    chosen += one.gallery.chosen ? 1 : 0;
  }
  ShownImages shown(report.images->source, images);
  section(out, "prototypes", "What stands for each class", [&] {
    if (chosen > 0) {
      out.paragraph(
          "Where a method chooses public images, they are the prototypes themselves, and which of them were chosen is "
          "all that was learned.");
    }
    if (chosen < all.size()) {
      out.paragraph(
          "Noisy means are not images. As an illustration, the public images nearest to them are shown; they were not "
          "chosen for the model.");
    }
    for (const ModelGallery& one : all) write_model(out, one, shown);
  });
}

}  // namespace dppl
