#pragma once

#include <span>
#include <string_view>

#include "dppl/embeddings.h"

namespace dppl {

// Throws InvalidRecord with the first row whose label is outside the set.
void check_labels(std::span<const int64_t> labels, const ClassSet& classes, std::string_view name);
// Why text cannot name a person; empty when it can. A blank that nobody sees would make two people of one.
std::string_view fault_of_person(std::string_view text);
// As check_labels, for an id below 0.
void check_people(std::span<const int64_t> ids, std::string_view name);

}  // namespace dppl
