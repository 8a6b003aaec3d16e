#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace dppl {

// Whether a file is there and holds this text and nothing else.
inline bool file_holds(const std::string& path, const std::string& text) {
  std::error_code error;
  if (std::filesystem::file_size(path, error) != text.size() || error) return false;
  std::string found(text.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(found.data(), static_cast<std::streamsize>(found.size())) && found == text;
}

}  // namespace dppl
