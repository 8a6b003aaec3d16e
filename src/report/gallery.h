#pragma once

#include <vector>

#include "dppl/report.h"

namespace dppl {

// The public images that stand for the classes of one model.
struct Gallery {
  const ReportedModel* model = nullptr;
  bool chosen = true;  // false: not the prototypes but the public images nearest to them
  size_t per_class = 1;
  std::vector<uint64_t> images;  // numbers in the source, class after class
};

// Of every model that has one. Throws InvalidInput where the images or the pool are not the ones it was made with.
std::vector<Gallery> galleries(const Report& report);

}  // namespace dppl
