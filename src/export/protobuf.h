#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Protocol buffers on the wire. By hand, because what ONNX needs of them are two ways to write a field and one to skip
// it; a library would parse an encoder's gigabytes into memory only to write them out again.
namespace dppl::protobuf {

// A message being written. Two of them one after the other are one: single fields are replaced by the later ones,
// repeated fields and messages are joined.
class Message {
 public:
  Message& number(unsigned field, int64_t value);
  Message& real(unsigned field, float value);
  Message& text(unsigned field, std::string_view bytes);  // strings, bytes and messages alike
  Message& text(unsigned field, const Message& message) { return text(field, message.bytes()); }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// What stands before the contents of a text field of so many bytes.
std::string text_field_begin(unsigned field, uint64_t size);

enum class Wire : unsigned { varint = 0, fixed64 = 1, text = 2, fixed32 = 5 };

struct Field {
  unsigned number = 0;
  Wire wire = Wire::varint;
  uint64_t value = 0;          // of numbers
  std::string_view text = {};  // of texts: a view of what is read
  size_t begin = 0, end = 0;   // of the whole field, from the beginning of the message
};

// The fields of a message, one after the other. Throws InvalidInput, beginning with `name`, where bytes are no message.
class Fields {
 public:
  Fields(std::string_view message, std::string_view name) : message_(message), name_(name) {}
  std::optional<Field> next();

 private:
  uint64_t varint();
  std::string_view take(uint64_t size);
  [[noreturn]] void fail() const;

  std::string_view message_, name_;
  size_t at_ = 0;
};

}  // namespace dppl::protobuf
