#pragma once

#include "dppl/fit.h"

namespace dppl::cli {

// Choices of tuning in the user's cache directory ($XDG_CACHE_HOME/dppl, or ~/.cache/dppl), one small file per choice.
// Nothing private is in it, and it may be deleted at any time; a file that cannot be read or written is as good as
// none.
ChoiceCache user_choice_cache();

}  // namespace dppl::cli
