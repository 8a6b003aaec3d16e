#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "base/atomic_file.h"
#include "base/digest.h"
#include "base/mapped_file.h"
#include "dppl/export.h"

namespace dppl {

PublishedModel PublishedModel::open(const std::string& path) {
  const MappedFile file(path);
  return {std::filesystem::path(path).stem().string(), to_hex(digest_of(file.bytes())), parse_model(file.text(), path)};
}

std::string OnnxPort::describe() const { return fmt::format("{} {} [{}]", type, name, fmt::join(shape, ", ")); }

void write_export(const std::string& path, std::string_view bytes) { AtomicFile(path).commit(bytes); }

}  // namespace dppl
