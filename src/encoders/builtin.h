#pragma once

#include <memory>
#include <string>

#include "dppl/encoder.h"

namespace dppl {

// The encoders that need no model file, by name: "builtin:hog". Throws InvalidInput for another name. The same
// bits on every machine, alone or in a batch, with any number of threads. See docs/encoders.md.
std::unique_ptr<Encoder> builtin_encoder(const std::string& name, unsigned threads);

}  // namespace dppl
