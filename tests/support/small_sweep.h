#pragma once

#include <string>
#include <string_view>

#include "support/temp_dir.h"

namespace dppl::testing {

// Four classes in dimension 8 that are easy to distinguish: x.npy and y.npy with 40 records per class, tx.npy and
// ty.npy with 10, and a pool p.npy of 300 rows.
void write_small_data(const TempDir& dir);

// The same records in three classes, of which the last has half of them: y3.npy and ty3.npy. Returns a plan's [[data]]
// "Natural", which takes them as they come.
std::string write_natural_data(const TempDir& dir);

// Writes plan.toml: these data, ratios 1 and 4, two seeds, and what is given. Returns its path.
std::string write_small_plan(const TempDir& dir, std::string_view methods, std::string_view rho = "[0.5, 50]");

// The results without the seconds, which differ from time to time.
std::string without_seconds(const std::string& csv);

}  // namespace dppl::testing
