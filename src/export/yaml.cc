#include "export/yaml.h"

namespace dppl {
namespace {

using Json = nlohmann::ordered_json;

// 1e-05 would be a text.
std::string number(const Json& value) {
  std::string text = value.dump();
  const size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) text.insert(exponent, ".0");
  return text;
}

bool is_block(const Json& value) {
  return value.is_string() && value.get_ref<const std::string&>().find('\n') != std::string::npos;
}

std::string block(const std::string& text, const std::string& indent) {
  std::string result = "|\n" + indent;
  for (size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    const bool line_ends = text[i] == '\n' && i + 1 < text.size();
    if (line_ends && text[i + 1] != '\n') result += indent;
  }
  return result.ends_with('\n') ? result : result + "\n";
}

void write(const Json& value, const std::string& indent, std::string& out);

std::string scalar(const Json& value) {
  return value.is_number_float() ? number(value) : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// What stands behind a key or a dash.
void write_inside(const Json& value, const std::string& indent, std::string& out) {
  if (value.is_structured() && !value.empty()) {
    out += "\n";
    write(value, indent + "  ", out);
  } else {
    out += " ";
    out += is_block(value) ? block(value.get<std::string>(), indent + "  ") : scalar(value).append("\n");
  }
}

void write(const Json& value, const std::string& indent, std::string& out) {
  for (const auto& [key, inside] : value.items()) {
    const size_t begin = out.size();
    if (value.is_array() && inside.is_structured() && !inside.empty()) {
      write(inside, indent + "  ", out);
      out[begin + indent.size()] = '-';  // in front of the first line
      continue;
    }
    out += indent;
    out += value.is_array() ? "-" : key + ":";
    write_inside(inside, indent, out);
  }
}

}  // namespace

std::string to_yaml(const Json& value) {
  std::string out;
  write(value, "", out);
  return out;
}

}  // namespace dppl
