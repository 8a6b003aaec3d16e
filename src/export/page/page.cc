#include "dppl/page.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "dppl/error.h"
#include "export/page/embedded.h"
#include "export/runnable_graph.h"
#include "model/guarantee_words.h"
#include "report/gallery.h"
#include "report/page.h"
#include "report/png.h"
#include "report/sections.h"
#include "report/style.h"

namespace dppl {
namespace {

using Json = nlohmann::ordered_json;

// A browser keeps a page's text in memory, some twice, and none takes a text of more than half a gigabyte.
constexpr size_t kMostBytes = size_t{256} << 20;
constexpr size_t kNamedClasses = 12;  // more are counted only

// ---- What is on it

std::string known_classes(const ClassSet& classes) {
  std::string names;
  for (size_t c = 0; c < classes.size() && classes.size() <= kNamedClasses; ++c)
    names += (c == 0 ? ": " : c + 1 == classes.size() ? " and " : ", ") + classes.name(c);
  return fmt::format("{} class{}{}", classes.size(), classes.size() == 1 ? "" : "es", names);
}

void write_lead(HtmlWriter& out, const Page& page, std::string_view record) {
  out.paragraph(fmt::format("Show it {}, and it finds one of {}. What you show it stays on your device: this page can "
                            "send nothing.",
                            record, known_classes(page.published.model.classes)),
                "lead");
}

// In two sentences: what somebody can find out at most, and what that follows from.
void write_promise(HtmlWriter& out, const Model& model) {
  section(out, "guarantee", "What is promised", [&] {
    out.element("div", {{"class", "promise"}}, [&] {
      const std::string guess = guess_words(model.guarantee);
      if (!guess.empty()) out.paragraph(guess, "words");
      out.paragraph(guarantee_words(model), guess.empty() ? "words" : "");
    });
    out.element("details", {}, [&] {
      out.text_element("summary", "What is protected, and what is not");
      write_protection(out, model.guarantee);
    });
  });
}

void write_public_images(HtmlWriter& out, const Gallery& gallery, const PoolImages& images, bool can_be_tried) {
  section(out, "prototypes", "What stands for each class", [&] {
    out.paragraph(fmt::format(
        "{}{}",
        gallery.chosen ? "Public images that were chosen for the model: it compares what you show it with these."
                       : "The public images that the model finds most like each class. They illustrate it and were not "
                         "chosen for it: a class is a noisy mean, which is no image.",
        can_be_tried ? " Choose one to see what the model finds in it." : ""));
    ShownImages shown(images.source, gallery.images.size());
    write_gallery(out, gallery, shown);
  });
}

void write_about(HtmlWriter& out, const Page& page) {
  section(out, "about", "About the model", [&] {
    out.paragraph(
        "It knows its classes only: whatever you show it, it finds one of them. How sure it is, is its own "
        "estimate; whoever published it can measure how often it is right.");
    out.element("details", {}, [&] {
      out.text_element("summary", "How it was made");
      write_facts(out, page.published.model);
      out.element("dl", {{"class", "facts"}}, [&] { write_fact(out, "model digest", page.published.digest); });
    });
  });
}

template <typename Write>
std::string html_of(Write&& write) {
  HtmlWriter out;
  write(out);
  return out.html();
}

void check_size(uintmax_t bytes) {
  if (bytes <= kMostBytes) return;
  throw InvalidInput(fmt::format("page: the model has {} MB as ONNX, and a page takes {} MB at most; serve it instead",
                                 bytes >> 20, kMostBytes >> 20));
}

// ---- What the script has to know

// Where the graph resizes, it cuts as well; images come to it resized already.
Json input_settings(const onnx::RunnableGraph& graph, const Model& model) {
  Json json{{"name", graph.input}, {"batch", graph.batch}};
  if (!graph.resizing) {
    json["dim"] = model.input_dim();
    return json;
  }
  const onnx::Resizing& how = *graph.resizing;
  if (how.resized) json["resized"] = {how.resized->width, how.resized->height};
  if (how.shorter > 0) json["shorter"] = how.shorter;
  if (!graph.resizes) json["crop"] = {how.crop.width, how.crop.height};
  json["interpolation"] = how.interpolation == Interpolation::bilinear ? "bilinear" : "bicubic";
  return json;
}

Json script_settings(const Page& page, const onnx::RunnableGraph& graph) {
  return {{"kind", graph.resizing ? "image" : "rows"},
          {"file", page.published.name + ".onnx"},
          {"classes", page.published.model.classes.names()},
          {"input", input_settings(graph, page.published.model)},
          {"outputs", {{"label", graph.outputs.label}, {"probabilities", graph.outputs.probabilities}}}};
}

// ---- The whole

using Slots = std::map<std::string_view, std::string, std::less<>>;

std::string fill(std::string_view text, const Slots& slots) {
  std::string result;
  for (size_t begin = text.find("{{"); begin != text.npos; begin = text.find("{{")) {
    const size_t end = text.find("}}", begin);
    result += text.substr(0, begin);
    result += slots.at(text.substr(begin + 2, end - begin - 2));
    text.remove_prefix(end + 2);
  }
  return result += text;
}

}  // namespace

std::string page_html(const Page& page) {
  if (page::runtime().empty()) {
    throw InvalidInput(
        "page: this program was built without ONNX Runtime Web; run scripts/setup-ort-web.sh and build it again");
  }
  const Model& model = page.published.model;
  if (page.onnx.prepared_input) throw InvalidInput("page: prepares images itself; leave the encoder's input as it is");
  if (page.onnx.encoder.ends_with(".onnx")) {
    std::error_code absent;  // whoever opens it says so
    const uintmax_t bytes = std::filesystem::file_size(page.onnx.encoder, absent);
    if (!absent) check_size(bytes);
  }
  const onnx::RunnableGraph graph = onnx::runnable_graph(page.published, page.onnx);
  check_size(graph.bytes.size());
  const bool takes_images = graph.resizing.has_value();
  std::optional<Gallery> gallery;
  if (page.images) gallery = find_gallery(page.published.name, model, *page.images, page.pool, page.threads);
  const std::string title = page.title.empty() ? page.published.name : page.title;
  const std::string style = fmt::format("{}{}{}", kColours, kPageStyle, page::style()), script = page::script();
  const Slots slots = {
      {"policy",
       fmt::format("default-src 'none'; img-src data: blob:; style-src {}; script-src {} {} 'wasm-unsafe-eval'; "
                   "base-uri 'none'; form-action 'none'",
                   policy_hash(style), policy_hash(page::runtime_library()), policy_hash(script))},
      {"title", escape_html(title)},
      {"style", style},
      {"lead", html_of([&](HtmlWriter& out) { write_lead(out, page, takes_images ? "an image" : "embeddings"); })},
      {"banner", html_of([&](HtmlWriter& out) {
         if (!model.guarantee.is_private) write_seeded_banner(out, {page.published.name}, 1);
       })},
      {"invitation", takes_images ? "Drop an image here, or paste it" : "Drop a file of embeddings (.npy) here"},
      {"choose", takes_images ? "Choose an image" : "Choose a file"},
      {"camera", takes_images ? "" : "hidden"},
      {"accept", takes_images ? "image/*" : ".npy"},
      {"record", takes_images ? "image" : "row"},
      {"alike", gallery && gallery->chosen ? "The prototypes of the most probable classes"
                                           : "Public images most like the most probable classes"},
      {"gallery", gallery && gallery->per_class > 1 ? "gallery wide" : "gallery"},
      {"sections", html_of([&](HtmlWriter& out) {
         write_promise(out, model);
         if (gallery) write_public_images(out, *gallery, *page.images, takes_images);
         write_about(out, page);
       })},
      {"footer", html_of([](HtmlWriter& out) {
         out.paragraph(
             "This page is one file, which holds the model and what runs it. It loads nothing, and its policy "
             "forbids the browser to send anything. Made with dppl; the model runs in ONNX Runtime Web.");
       })},
      {"settings", html_of([&](HtmlWriter& out) {
         out.json(script_settings(page, graph).dump(-1, ' ', false, Json::error_handler_t::replace),
                  {{"type", "application/json"}, {"id", "settings"}});
       })},
      {"model", base64(graph.bytes)},
      {"runtime", base64(page::runtime())},
      {"library", std::string(page::runtime_library())},
      {"script", script}};
  return fill(page::html(), slots);
}

void write_page(const Page& page, const std::string& folder) {
  const std::string html = page_html(page);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw IoError(fmt::format("{}: cannot be made: {}", folder, error.message()));
  AtomicFile((std::filesystem::path(folder) / "index.html").string()).commit(html);
}

}  // namespace dppl
