#pragma once

#include <optional>
#include <string>

#include "dppl/fit.h"

// What was chosen before, for a pool and a question, in the caller's cache. Nothing private is in it. What cannot be
// read is as good as none.
namespace dppl {

std::optional<Settings> cached_choice(const ChoiceCache& cache, const std::string& question);
void cache_choice(const ChoiceCache& cache, const std::string& question, const Settings& choice);

}  // namespace dppl
