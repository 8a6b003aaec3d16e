#include "serving/address.h"

#include <gtest/gtest.h>

namespace dppl::serving {
namespace {

using Parts = std::vector<std::string>;

TEST(ServingAddress, IsTakenApartAndDecoded) {
  const Address address = parse_address("/v2/models/a%20b%2Fc/infer?top=3&x").value();
  EXPECT_EQ(address.path, "/v2/models/a b/c/infer");
  EXPECT_EQ(address.parts, (Parts{"v2", "models", "a b/c", "infer"}));
  EXPECT_EQ(address.query, "top=3&x");
  EXPECT_EQ(parse_address("/")->parts, Parts());
  EXPECT_EQ(parse_address("")->parts, Parts());
  EXPECT_EQ(parse_address("/v2/")->parts, Parts{"v2"});
  EXPECT_EQ(parse_address("//v2")->parts, (Parts{"", "v2"}));
  EXPECT_EQ(parse_address("/%C3%A9")->path, "/é");
  for (const char* bad : {"/%", "/%1", "/%zz", "/%-1", "/%+1", "/% 1"}) EXPECT_FALSE(parse_address(bad)) << bad;
}

TEST(ServingAddress, AQueryHasValues) {
  EXPECT_EQ(query_value("a=1&top=3", "top"), "3");
  EXPECT_EQ(query_value("top=3&top=4", "top"), "3");
  EXPECT_EQ(query_value("top", "top"), "");
  EXPECT_EQ(query_value("stop=3", "top"), std::nullopt);
  EXPECT_EQ(query_value("", "top"), std::nullopt);
}

}  // namespace
}  // namespace dppl::serving
