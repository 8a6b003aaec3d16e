#include "support/temp_dir.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace dppl::testing {

TempDir::TempDir() {
  std::string name = (std::filesystem::temp_directory_path() / "dppl-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary directory: " + name);
  root_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(root_, ignored);
}

std::string TempDir::file(const std::string& name, std::string_view contents) const {
  std::ofstream out(path(name), std::ios::binary);
  out.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path(name));
  return path(name);
}

size_t TempDir::entries() const {
  const std::filesystem::directory_iterator all(root_);
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace dppl::testing
