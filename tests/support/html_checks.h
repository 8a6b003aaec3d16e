#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace dppl::testing {

size_t count_of(std::string_view text, std::string_view part);

// Every element that is opened is closed, in order, and every attribute is quoted.
void expect_balanced(std::string_view html);

void expect_words(std::string_view text, std::initializer_list<std::string_view> words);

// The page without its scripts: none but those that draw charts, and data for them in which no element can end.
std::string without_scripts(std::string_view page);

// Whatever is on it, a page is one file that loads nothing and has no scripts but those that draw its charts.
void expect_sound_page(std::string_view page);

}  // namespace dppl::testing
