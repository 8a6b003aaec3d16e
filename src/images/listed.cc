#include "images/listed.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/digest.h"
#include "base/mapped_file.h"
#include "base/system_error.h"
#include "dppl/invalid_record.h"
#include "images/decode.h"

namespace dppl {

ListedImages::ListedImages(const std::string& source, std::string root, std::vector<std::string> names, Labels labels,
                           People people)
    : root_(std::move(root)), names_(std::move(names)), labels_(std::move(labels)), people_(std::move(people)) {
  std::string text;
  for (size_t i = 0; i < names_.size(); ++i) {
    struct stat status {};
    if (::stat(name(i).c_str(), &status) != 0) {
      throw InvalidRecord(fmt::format("{}: an image of it cannot be opened", source),
                          system_error(name(i), "cannot open").what());
    }
    text += fmt::format("{}:{}{} {}.{} {}", names_[i].size(), names_[i], status.st_size, status.st_mtim.tv_sec,
                        status.st_mtim.tv_nsec, status.st_ino);
  }
  fingerprint_ = to_hex(digest_of(text));
}

Image ListedImages::read_at_least(size_t i, PixelSize least) const {
  const std::string path = name(i);
  const MappedFile file(path);
  return decode_image(file.bytes(), path, kMaxPixels, least);
}

std::string ListedImages::name(size_t i) const { return (std::filesystem::path(root_) / names_.at(i)).string(); }

}  // namespace dppl
