#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace dppl::testing {

// Runs `action`, which must throw exactly an E whose message holds all the given words.
template <typename E, typename Action>
void expect_error(Action action, std::initializer_list<std::string_view> words) {
  try {
    action();
    ADD_FAILURE() << "accepted, where an error with '" << *words.begin() << "' was expected";
  } catch (const E& error) {
    for (const std::string_view word : words) {
      EXPECT_NE(std::string_view(error.what()).find(word), std::string_view::npos)
          << "'" << word << "' is not in: " << error.what();
    }
  }
}

}  // namespace dppl::testing
