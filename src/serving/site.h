#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "serving/http.h"

namespace dppl::serving {

// The files of a folder, for browsers. They are read once and looked up by name, so that no address leads out of the
// folder. What begins with a dot, and symbolic links, are left out.
class Site {
 public:
  // Throws where the folder or its index.html cannot be read.
  explicit Site(const std::string& folder);

  // `path` begins with '/' and is decoded. A status of 404 where there is none.
  HttpResponse get(const std::string& path, std::string_view if_none_match) const;

 private:
  struct File {
    std::shared_ptr<const std::string> content;
    std::string type, tag;
  };
  std::map<std::string, File> files_;  // "/index.html"
};

std::string_view content_type_of(std::string_view path);

}  // namespace dppl::serving
