#include "serving/index_page.h"

#include <fmt/format.h>

#include "report/html.h"
#include "serving/protocol.h"

namespace dppl::serving {
namespace {

constexpr const char* kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

constexpr const char* kStyle =
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 "
    "1rem}"
    "pre{overflow-x:auto;padding:.7rem;border:1px solid #8886;border-radius:.4rem}code{overflow-wrap:anywhere}"
    ".alarm{font-weight:bold}";

void describe_model(HtmlWriter& out, const LoadedModel& model, const Encoder* encoder) {
  out.text_element("h2", model.name);
  if (!model.is_private) {
    out.paragraph("NOT PRIVATE: made with a fixed seed. Do not publish it or what it says.", "alarm");
  } else {
    out.paragraph(model.guarantee);
  }
  out.paragraph(fmt::format("{} classes; rows of {} values; version {}.", model.classes.size(), model.classifier.dim(),
                            model.version));
  const bool takes_images = encoder != nullptr && encoder->dim() == model.classifier.dim();
  std::string example = fmt::format(
      "curl http://HOST/v2/models/{0}\ncurl http://HOST/v2/models/{0}/infer -d '{{\"inputs\": [{{\"name\": \"{1}\", "
      "\"datatype\": \"FP32\", \"shape\": [1, {2}], \"data\": [...]}}]}}'",
      model.name, kInput, model.classifier.dim());
  if (takes_images)
    example += fmt::format("\ncurl http://HOST/v2/models/{}/classify --data-binary @image.jpg", model.name);
  out.text_element("pre", example);
}

}  // namespace

HttpResponse index_page(std::span<const ModelPointer> models, const Encoder* encoder) {
  HtmlWriter out;
  out.element("html", {{"lang", "en"}}, [&] {
    out.element("head", {}, [&] {
      out.leaf("meta", {{"charset", "utf-8"}});
      out.leaf("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
      out.text_element("title", "dppl serve");
      out.element("style", {}, [&] { out.text(kStyle); });
    });
    out.element("body", {}, [&] {
      out.text_element("h1", "dppl serve");
      out.paragraph(
          "These models answer by the Open Inference Protocol, version 2. /metrics is for Prometheus; /v2/health/ready "
          "tells "
          "whether the server is ready.");
      for (const ModelPointer& model : models) describe_model(out, *model, encoder);
    });
  });
  return {.content_type = "text/html; charset=utf-8",
          .body = "<!doctype html>\n" + out.html(),
          .fields = {
              {"Content-Security-Policy", kPolicy}, {"Cache-Control", "no-cache"}, {"Referrer-Policy", "no-referrer"}}};
}

}  // namespace dppl::serving
