#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "dppl/invalid_record.h"

namespace dppl::testing {

// Runs `action`, which must throw an InvalidRecord: its message holds `rule`, and `secret` stands in private_detail()
// alone.
template <typename Action>
void expect_record_refused(Action action, std::string_view rule, std::string_view secret) {
  const auto holds = [](std::string_view text, std::string_view word) { return text.find(word) != text.npos; };
  try {
    action();
    ADD_FAILURE() << "accepted, where '" << rule << "' was expected";
  } catch (const InvalidRecord& error) {
    EXPECT_TRUE(holds(error.what(), rule)) << "'" << rule << "' is not in: " << error.what();
    EXPECT_TRUE(holds(error.private_detail(), secret)) << "'" << secret << "' is not in: " << error.private_detail();
    EXPECT_FALSE(holds(error.what(), secret)) << "'" << secret << "' is in: " << error.what();
  }
}

}  // namespace dppl::testing
