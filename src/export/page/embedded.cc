#include "export/page/embedded.h"

#include "base/embedded_file.h"

DPPL_EMBED_FILE(page_html, DPPL_PAGE_FILES "/page.html");
DPPL_EMBED_FILE(page_style, DPPL_PAGE_FILES "/page.css");
DPPL_EMBED_FILE(page_pixels, DPPL_PAGE_FILES "/pixels.js");
DPPL_EMBED_FILE(page_npy, DPPL_PAGE_FILES "/npy.js");
DPPL_EMBED_FILE(page_runtime, DPPL_PAGE_FILES "/runtime.js");
DPPL_EMBED_FILE(page_script, DPPL_PAGE_FILES "/page.js");
#ifdef DPPL_ORT_WEB
DPPL_EMBED_FILE(ort_library, DPPL_ORT_WEB "/ort.js");
DPPL_EMBED_FILE(ort_wasm, DPPL_ORT_WEB "/ort-wasm-simd-threaded.wasm.gz");
#endif

namespace dppl::page {

std::string_view html() { return DPPL_EMBEDDED(page_html); }
std::string_view style() { return DPPL_EMBEDDED(page_style); }

std::string script() {
  std::string result = "'use strict';\n";
  for (const std::string_view part :
       {DPPL_EMBEDDED(page_pixels), DPPL_EMBEDDED(page_npy), DPPL_EMBEDDED(page_runtime), DPPL_EMBEDDED(page_script)}) {
    result += part;
  }
  return result;
}

#ifdef DPPL_ORT_WEB
std::string_view runtime_library() { return DPPL_EMBEDDED(ort_library); }
std::string_view runtime() { return DPPL_EMBEDDED(ort_wasm); }
#else
std::string_view runtime_library() { return {}; }
std::string_view runtime() { return {}; }
#endif

}  // namespace dppl::page
