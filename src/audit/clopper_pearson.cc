#include "audit/clopper_pearson.h"

#include <boost/math/special_functions/beta.hpp>

namespace dppl {

double clopper_pearson_lower(uint64_t hits, uint64_t trials, double alpha) {
  if (hits == 0) return 0;
  return boost::math::ibeta_inv(static_cast<double>(hits), static_cast<double>(trials - hits + 1), alpha);
}

double clopper_pearson_upper(uint64_t hits, uint64_t trials, double alpha) {
  if (hits == trials) return 1;
  return boost::math::ibetac_inv(static_cast<double>(hits + 1), static_cast<double>(trials - hits), alpha);
}

}  // namespace dppl
