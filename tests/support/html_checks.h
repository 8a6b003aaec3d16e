#pragma once

#include <initializer_list>
#include <string_view>

namespace dppl::testing {

size_t count_of(std::string_view text, std::string_view part);

// Every element that is opened is closed, in order, and every attribute is quoted.
void expect_balanced(std::string_view html);

void expect_words(std::string_view text, std::initializer_list<std::string_view> words);

// Whatever is on it, a page is one file that loads nothing.
void expect_sound_page(std::string_view page);

}  // namespace dppl::testing
