#pragma once

#include <cstddef>

namespace dppl {

// For tests and benchmarks alone: another limit than kResidentMappings, until the process ends.
void set_resident_mappings(size_t bytes);

}  // namespace dppl
