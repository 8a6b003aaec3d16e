#pragma once

#include <string_view>

namespace dppl::testing {

size_t count_of(std::string_view text, std::string_view part);

// Every element that is opened is closed, in order, and every attribute is quoted.
void expect_balanced(std::string_view html);

}  // namespace dppl::testing
