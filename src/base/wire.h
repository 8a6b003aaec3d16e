#pragma once

#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "dppl/error.h"

// Values one behind the other in bytes, little endian, as messages between machines hold them.
namespace dppl {

static_assert(std::endian::native == std::endian::little, "values are written as they lie in memory");

class WireWriter {
 public:
  template <typename T>
  void add(const T& value) {
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  // Their number, then the values.
  template <typename T>
  void add_list(std::span<const T> values) {
    add(uint64_t{values.size()});
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
  void add_text(std::string_view text) { add_list(std::span<const char>(text)); }

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Throws InvalidInput where the bytes end too early or too late.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  T get() {
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
    T value;
    std::memcpy(&value, next(sizeof value).data(), sizeof value);
    return value;
  }

  template <typename T>
  std::vector<T> get_list() {
    const auto count = get<uint64_t>();
    if (count > bytes_.size() / sizeof(T)) refuse();
    std::vector<T> values(count);
    const std::string_view taken = next(count * sizeof(T));
    if (count > 0) std::memcpy(values.data(), taken.data(), taken.size());
    return values;
  }
  std::string_view get_text() {
    const auto size = get<uint64_t>();
    return next(size);
  }
  // How many of a list of things follow, each of at least so many bytes.
  size_t get_count(size_t least_bytes) {
    const auto count = get<uint64_t>();
    if (count > bytes_.size() / least_bytes) refuse();
    return count;
  }

  std::string_view rest() const { return bytes_; }
  void end() const {
    if (!bytes_.empty()) refuse();
  }

 private:
  [[noreturn]] static void refuse() { throw InvalidInput("message: is cut short or something follows its end"); }

  std::string_view next(uint64_t size) {
    if (size > bytes_.size()) refuse();
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  std::string_view bytes_;
};

}  // namespace dppl
