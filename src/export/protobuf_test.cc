#include "export/protobuf.h"

#include <gtest/gtest.h>

#include "dppl/error.h"
#include "support/expect_error.h"

namespace dppl::protobuf {
namespace {

using testing::expect_error;

// The examples of the format's own description.
TEST(Protobuf, WritesWhatTheFormatSays) {
  EXPECT_EQ(Message().number(1, 150).bytes(), std::string("\x08\x96\x01"));
  EXPECT_EQ(Message().text(2, "testing").bytes(), std::string("\x12\x07testing"));
  EXPECT_EQ(Message().text(3, Message().number(1, 150)).bytes(), std::string("\x1a\x03\x08\x96\x01"));
  EXPECT_EQ(Message().number(1, -1).bytes(), "\x08" + std::string(9, '\xff') + "\x01");
  EXPECT_EQ(Message().real(2, 1.0f).bytes(), std::string("\x15\x00\x00\x80\x3f", 5));
  EXPECT_EQ(Message().number(20, 0).bytes(), std::string("\xa0\x01\x00", 3)) << "a field beyond 15 takes two bytes";
}

TEST(Protobuf, ReadsWhatItWrote) {
  const std::string bytes =
      Message().number(1, INT64_MIN).text(300, "a").real(2, 0.5f).text(7, std::string(200, 'x')).bytes();
  Fields fields(bytes, "m");
  const auto first = fields.next(), second = fields.next(), third = fields.next(), fourth = fields.next();
  ASSERT_TRUE(first && second && third && fourth);
  EXPECT_EQ(first->number, 1u);
  EXPECT_EQ(static_cast<int64_t>(first->value), INT64_MIN);
  EXPECT_EQ(second->number, 300u);
  EXPECT_EQ(second->text, "a");
  EXPECT_EQ(third->wire, Wire::fixed32);
  EXPECT_EQ(third->value, 0x3f000000u);
  EXPECT_EQ(fourth->text, std::string(200, 'x'));
  EXPECT_EQ(fourth->begin, third->end);
  EXPECT_EQ(fourth->end, bytes.size());
  EXPECT_FALSE(fields.next());
}

TEST(Protobuf, RefusesEveryCutAndWhatIsNoMessage) {
  const std::string bytes = Message().number(1, 1 << 20).text(2, "abc").real(3, 1).bytes();
  const auto read_all = [](std::string_view message) {
    Fields fields(message, "model.onnx");
    size_t count = 0;
    while (fields.next()) ++count;
    return count;
  };
  EXPECT_EQ(read_all(bytes), 3u);
  size_t refused = 0;
  for (size_t size = 1; size < bytes.size(); ++size) {
    try {
      read_all(std::string_view(bytes).substr(0, size));
    } catch (const InvalidInput&) {
      ++refused;
    }
  }
  EXPECT_EQ(refused, bytes.size() - 1 - 2) << "only where a field ends there is nothing wrong";
  for (const std::string& bad : {std::string(11, '\xff'), std::string("\x00\x01", 2), std::string("\x0b"),
                                 std::string("\x12\xff\xff\xff\xff\x0f")}) {
    expect_error<InvalidInput>([&] { read_all(bad); }, {"model.onnx", "damaged"});
  }
}

}  // namespace
}  // namespace dppl::protobuf
