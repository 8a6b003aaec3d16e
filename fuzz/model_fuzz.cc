#include <algorithm>
#include <cstdlib>
#include <optional>

#include "dppl/error.h"
#include "model/model_file.h"

namespace {

// Input that begins like a model file keeps its bytes but for the checksum; any other input is a header, a zero byte
// and the data. So what lies behind the checksum and the lengths is reached.
std::string file_of(std::string_view input) {
  if (input.starts_with(dppl::kModelMagic) && input.size() >= dppl::kModelChecksum) {
    std::string body(input.substr(0, input.size() - dppl::kModelChecksum));
    return body + dppl::model_checksum(body);
  }
  const size_t end = std::min(input.find('\0'), input.size());
  std::string header(input.substr(0, end));
  while ((dppl::kModelPrefix + header.size()) % dppl::kModelAlignment != 0) header += ' ';
  return dppl::assemble_model_file(header, input.substr(std::min(end + 1, input.size())));
}

}  // namespace

// Any file is refused with InvalidInput or gives a model that can be described and that is written as the same bytes.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string file = file_of({reinterpret_cast<const char*>(data), size});
  std::optional<dppl::Model> model;
  try {
    model = dppl::parse_model(file, "fuzz.dppl");
  } catch (const dppl::InvalidInput&) {
    return 0;
  }
  if (dppl::serialise_model(*model) != file) std::abort();
  if (dppl::describe_model(*model).empty() || dppl::model_json(*model).empty()) std::abort();
  return 0;
}
