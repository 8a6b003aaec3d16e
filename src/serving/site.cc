#include "serving/site.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/digest.h"
#include "serving/constants.h"
#include "serving/read_file.h"

namespace dppl::serving {
namespace {

namespace fs = std::filesystem;

// Whatever got into the page, a browser talks to this server alone. A page that says more in a policy of its own is
// held to both.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; "
    "connect-src 'self' data: blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".json", "application/json"},
    {".map", "application/json"},
    {".webmanifest", "application/manifest+json"},
    {".wasm", "application/wasm"},
    {".txt", "text/plain; charset=utf-8"},
    {".md", "text/plain; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".jpg", "image/jpeg"},
    {".jpeg", "image/jpeg"},
    {".webp", "image/webp"},
    {".ico", "image/vnd.microsoft.icon"},
    {".woff2", "font/woff2"},
};

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

}  // namespace

std::string_view content_type_of(std::string_view path) {
  for (const auto& [ending, type] : kTypes) {
    if (path.ends_with(ending)) return type;
  }
  return "application/octet-stream";
}

Site::Site(const std::string& folder) {
  std::error_code error;
  size_t total = 0;
  auto entry = fs::recursive_directory_iterator(folder, error);
  if (error) throw IoError(fmt::format("{}: cannot read the folder: {}", folder, error.message()));
  for (; entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (is_hidden(entry->path())) {
      entry.disable_recursion_pending();
      continue;
    }
    if (entry->is_symlink() || !entry->is_regular_file()) continue;
    total += entry->file_size();
    if (total > kMaxSiteBytes) {
      throw InvalidInput(
          fmt::format("{}: holds more than {} bytes, which is no page; give the folder of one", folder, kMaxSiteBytes));
    }
    const std::string name = fmt::format("/{}", entry->path().lexically_relative(folder).generic_string());
    auto content = std::make_shared<const std::string>(read_file(entry->path().string()));
    std::string tag = fmt::format("\"{}\"", to_hex(digest_of(*content)).substr(0, 32));
    files_[name] = {std::move(content), std::string(content_type_of(name)), std::move(tag)};
  }
  if (error) throw IoError(fmt::format("{}: cannot read the folder: {}", folder, error.message()));
  if (!files_.contains("/index.html")) {
    throw InvalidInput(fmt::format("{}: has no index.html; give the folder of a page", folder));
  }
}

HttpResponse Site::get(const std::string& path, std::string_view if_none_match) const {
  const auto found = files_.find(path.ends_with('/') ? path + "index.html" : path);
  if (found == files_.end()) return error_response(404, "there is no such page");
  const File& file = found->second;
  HttpResponse response{.content_type = file.type, .file = file.content};
  response.fields = {{"ETag", file.tag},
                     {"Cache-Control", "no-cache"},
                     {"Content-Security-Policy", kPolicy},
                     {"Referrer-Policy", "no-referrer"},
                     // Together they let WebAssembly use several threads.
                     {"Cross-Origin-Opener-Policy", "same-origin"},
                     {"Cross-Origin-Embedder-Policy", "require-corp"}};
  if (if_none_match == file.tag) response.status = 304;
  return response;
}

}  // namespace dppl::serving
