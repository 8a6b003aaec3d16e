#include "export/yaml.h"

#include <gtest/gtest.h>

namespace dppl {
namespace {

using Json = nlohmann::ordered_json;

TEST(Yaml, IsWrittenAsPeopleWriteIt) {
  const Json value = {{"name", "a: \"b\" #c"},
                      {"count", 3},
                      {"delta", 1e-5},
                      {"rho", 0.02},
                      {"flag", true},
                      {"empty", Json::array()},
                      {"list", {"x", "y"}},
                      {"objects", Json::array({Json{{"type", "t"}, {"parts", {1, 2}}}, Json{{"type", "u"}}})},
                      {"text", "first\n\nthird\n"}};
  EXPECT_EQ(to_yaml(value),
            "name: \"a: \\\"b\\\" #c\"\n"
            "count: 3\n"
            "delta: 1.0e-05\n"
            "rho: 0.02\n"
            "flag: true\n"
            "empty: []\n"
            "list:\n"
            "  - \"x\"\n"
            "  - \"y\"\n"
            "objects:\n"
            "  - type: \"t\"\n"
            "    parts:\n"
            "      - 1\n"
            "      - 2\n"
            "  - type: \"u\"\n"
            "text: |\n"
            "  first\n"
            "\n"
            "  third\n");
}

}  // namespace
}  // namespace dppl
