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
  const auto bytes = file.bytes();
  return {std::filesystem::path(path).stem().string(), to_hex(digest_of(bytes)),
          parse_model({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path)};
}

std::string OnnxPort::describe() const { return fmt::format("{} {} [{}]", type, name, fmt::join(shape, ", ")); }

void write_export(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace dppl
