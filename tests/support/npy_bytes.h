#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace dppl::testing {

// A .npy file with this header text, right or wrong.
inline std::string npy_with_header(std::string_view header, std::string_view data, int version = 1) {
  std::string result = "\x93NUMPY";
  result += static_cast<char>(version);
  result += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) result += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return result.append(header).append(data);
}

// A .npy file as NumPy writes it; `shape` is the tuple's text, e.g. "(2, 3)".
inline std::string npy_bytes(std::string_view descr, std::string_view shape, std::string_view data, int version = 1) {
  std::string header =
      "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': " + std::string(shape) + ", }";
  while ((header.size() + 1 + (version == 1 ? 10 : 12)) % 64 != 0) header += ' ';
  return npy_with_header(header + '\n', data, version);
}

// The bytes of values as they lie in memory.
template <typename T>
std::string raw(const std::vector<T>& values) {
  std::string result(values.size() * sizeof(T), '\0');
  std::memcpy(result.data(), values.data(), result.size());
  return result;
}

}  // namespace dppl::testing
