#include "prototypes/class_rows.h"

namespace dppl {

std::vector<std::vector<size_t>> records_by_class(const PrivateAccess& access, size_t classes) {
  std::vector<std::vector<size_t>> records(classes);
  for (size_t i = 0; i < access.size(); ++i) records[static_cast<size_t>(access.labels()[i])].push_back(i);
  return records;
}

}  // namespace dppl
