#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "dppl/invalid_record.h"

namespace dppl::testing {

// Runs `action`, which must throw an InvalidRecord: its message holds all words of the rule and none of the detail,
// which stand in private_detail() alone.
template <typename Action>
void expect_private_error(Action action, std::initializer_list<std::string_view> rule,
                          std::initializer_list<std::string_view> detail) {
  try {
    action();
    ADD_FAILURE() << "accepted, where an error with '" << *rule.begin() << "' was expected";
  } catch (const InvalidRecord& error) {
    const std::string_view what = error.what();
    for (const std::string_view word : rule)
      EXPECT_NE(what.find(word), std::string_view::npos) << "'" << word << "' is not in: " << what;
    for (const std::string_view word : detail) {
      EXPECT_EQ(what.find(word), std::string_view::npos) << "'" << word << "' is private and told: " << what;
      EXPECT_NE(error.private_detail().find(word), std::string::npos)
          << "'" << word << "' is not in: " << error.private_detail();
    }
  }
}

}  // namespace dppl::testing
