#pragma once

#include <string>
#include <string_view>

// The parts of a page that classifies, as they stand in files beside this one.
namespace dppl::page {

std::string_view html();  // with {{slots}}
std::string_view style();
std::string script();

// ONNX Runtime Web from npm (scripts/setup-ort-web.sh): a script, and the WebAssembly that it starts, compressed by
// gzip. Empty where the program was built without them.
std::string_view runtime_library();
std::string_view runtime();

}  // namespace dppl::page
