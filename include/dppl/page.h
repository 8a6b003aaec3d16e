#pragma once

#include <optional>
#include <string>

#include "dppl/export.h"
#include "dppl/report.h"

// A page that classifies in the visitor's browser: the model as ONNX, what runs it, public images and the guarantee in
// one HTML file, which needs no server and no network. Its policy forbids the browser to load or send anything.
namespace dppl {

struct Page {
  std::string title;  // empty: the model's name
  PublishedModel published;
  OnnxExportOptions onnx = {};  // with an encoder the page takes images, without one embeddings
  // The images of the pool, and the pool: winners are shown by the public images that stand for them, as in a report.
  std::optional<PoolImages> images = {};
  std::optional<PublicData> pool = {};
  unsigned threads = kDefaultThreads;
};

// Throws InvalidInput where images or pool are not the ones the model was made with, where the model is too large for a
// page, and where the program was built without ONNX Runtime Web. The same page gives the same bytes.
std::string page_html(const Page& page);
// index.html in this folder, which is made where it is missing. The file appears complete or not at all.
void write_page(const Page& page, const std::string& folder);

}  // namespace dppl
