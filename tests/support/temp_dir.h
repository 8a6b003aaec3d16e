#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace dppl::testing {

// A directory of its own for one test, gone at the end of it.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  std::string path(const std::string& name) const { return (root_ / name).string(); }
  // Writes the file and returns its path.
  std::string file(const std::string& name, std::string_view contents) const;
  // How many entries the directory has, hidden ones included.
  size_t entries() const;

 private:
  std::filesystem::path root_;
};

std::string read_text(const std::string& path);

}  // namespace dppl::testing
