#pragma once

#include "dppl/transform.h"
#include "rows/private_access.h"

namespace dppl {

// The private records of a fit, seen through its public transform: what every statistic is computed of. Refers to what
// the caller keeps.
struct Records {
  const PrivateAccess& access;
  size_t classes;
  const PublicTransform& transform;
  unsigned threads = 1;
  // Released sizes of the classes, by which a person's weight goes to the smaller ones of their classes. Empty: it goes
  // to all of them equally.
  std::span<const double> class_sizes = {};

  size_t size() const { return access.size(); }
  size_t dim() const { return transform.output_dim(); }
  std::span<const int64_t> labels() const { return access.labels(); }
};

}  // namespace dppl
