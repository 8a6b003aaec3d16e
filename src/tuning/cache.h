#pragma once

#include <optional>
#include <string>

#include "dppl/model.h"

// What was chosen before, for a pool and a question: in the user's cache directory ($XDG_CACHE_HOME/dppl, or
// ~/.cache/dppl), one small file a choice. Nothing private is in it, and it may be deleted at any time; a file that
// cannot be read or written is as good as none.
namespace dppl {

std::optional<Hyperparameters> cached_choice(const std::string& question);
void cache_choice(const std::string& question, const Hyperparameters& choice);

}  // namespace dppl
