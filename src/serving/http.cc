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

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "";
  }
}

std::string shortened(const std::string& text) {
  return text.size() <= kMostRepeated ? text : text.substr(0, kMostRepeated) + "…";
}

}  // namespace dppl::serving
