#include "export/protobuf.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "dppl/error.h"

namespace dppl::protobuf {
namespace {

void add_varint(std::string& to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}

void add_tag(std::string& to, unsigned field, Wire wire) {
  add_varint(to, uint64_t{field} << 3 | static_cast<unsigned>(wire));
}

}  // namespace

Message& Message::number(unsigned field, int64_t value) {
  add_tag(bytes_, field, Wire::varint);
  add_varint(bytes_, static_cast<uint64_t>(value));
  return *this;
}

Message& Message::real(unsigned field, float value) {
  static_assert(std::endian::native == std::endian::little);
  add_tag(bytes_, field, Wire::fixed32);
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  return *this;
}

Message& Message::text(unsigned field, std::string_view bytes) {
  bytes_ += text_field_begin(field, bytes.size());
  bytes_ += bytes;
  return *this;
}

std::string text_field_begin(unsigned field, uint64_t size) {
  std::string result;
  add_tag(result, field, Wire::text);
  add_varint(result, size);
  return result;
}

void Fields::fail() const {
  throw InvalidInput(fmt::format("{}: is damaged or not in ONNX's format; export or fetch it again", name_));
}

uint64_t Fields::varint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at_ == message_.size()) fail();
    const auto byte = static_cast<unsigned char>(message_[at_++]);
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  fail();
}

std::string_view Fields::take(uint64_t size) {
  if (size > message_.size() - at_) fail();
  const std::string_view taken = message_.substr(at_, size);
  at_ += size;
  return taken;
}

std::optional<Field> Fields::next() {
  if (at_ == message_.size()) return std::nullopt;
  Field field;
  field.begin = at_;
  const uint64_t tag = varint();
  if (tag >> 3 == 0 || tag >> 32 != 0) fail();
  field.number = static_cast<unsigned>(tag >> 3);
  field.wire = static_cast<Wire>(tag & 7);
  switch (field.wire) {
    case Wire::varint:
      field.value = varint();
      break;
    case Wire::text:
      field.text = take(varint());
      break;
    case Wire::fixed64:
      std::memcpy(&field.value, take(8).data(), 8);
      break;
    case Wire::fixed32:
      std::memcpy(&field.value, take(4).data(), 4);
      break;
    default:  // groups, which ONNX never had
      fail();
  }
  field.end = at_;
  return field;
}

}  // namespace dppl::protobuf
