#include <fmt/format.h>

#include "dppl/error.h"
#include "dppl/mechanisms.h"

namespace dppl {

std::string_view to_string(SelectionMechanism mechanism) {
  switch (mechanism) {
    case SelectionMechanism::permute_and_flip:
      return "permute-and-flip";
    case SelectionMechanism::laplace:
      return "laplace";
    case SelectionMechanism::exponential:
      break;
  }
  return "exponential";
}

SelectionMechanism parse_selection_mechanism(std::string_view text) {
  for (const auto one :
       {SelectionMechanism::exponential, SelectionMechanism::permute_and_flip, SelectionMechanism::laplace}) {
    if (text == to_string(one)) return one;
  }
  throw InvalidInput(
      fmt::format("mechanism '{}': unknown; give one of exponential, permute-and-flip, laplace", text.substr(0, 40)));
}

}  // namespace dppl
