#include "serving/http.h"

#include <nlohmann/json.hpp>

#include "serving/constants.h"

namespace dppl::serving {

HttpResponse error_response(int status, std::string_view message) {
  using Json = nlohmann::json;
  // A message may quote what a client sent, which need not be UTF-8.
  HttpResponse response{
      .status = status,
      .body = Json::object({{"error", message}}).dump(-1, ' ', false, Json::error_handler_t::replace)};
  if (status == 503) response.fields.emplace_back("Retry-After", "1");
  return response;
}

std::string shortened(const std::string& text) {
  return text.size() <= kMostRepeated ? text : text.substr(0, kMostRepeated) + "…";
}

}  // namespace dppl::serving
