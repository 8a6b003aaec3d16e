#include "serving/read_file.h"

#include <fstream>
#include <sstream>

#include "base/system_error.h"

namespace dppl::serving {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw system_error(path, "cannot open");
  std::ostringstream text;
  // Nothing that can be inserted, as of an empty file, counts as a failure there.
  if (file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (file.bad() || !text) throw system_error(path, "cannot read");
  return std::move(text).str();
}

}  // namespace dppl::serving
