#pragma once

#include <string>

namespace dppl::serving {

// A whole file. Not mapped: a file that somebody shortens while it is mapped would end the server.
std::string read_file(const std::string& path);

}  // namespace dppl::serving
