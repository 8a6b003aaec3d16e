#pragma once

#include <array>
#include <memory>
#include <string>

#include "dppl/encoder.h"
#include "encoders/gradients.h"

namespace dppl {

// The encoders that need no model file, by name: "builtin:hog". Throws InvalidInput for another name. The same
// bits on every machine, alone or in a batch, with any number of threads. See docs/encoders.md.
std::unique_ptr<Encoder> builtin_encoder(const std::string& name, unsigned threads);

// What "builtin:hog" is made of: oriented gradients of the root of the brightness, tints and a constant.
namespace builtin {

inline constexpr const char* kName = "builtin:hog";
// As Pillow makes grey of red, green and blue: parts of kGreyUnit, rounded.
inline constexpr std::array<int, 3> kGrey = {19595, 38470, 7471};
inline constexpr int kGreyUnit = 1 << 16;
// Tints: how far red and blue are from the brightness, averaged over 4 × 4 places. All zero for a grey image.
inline constexpr size_t kTintPlaces = 4, kTintStep = gradients::kSide / kTintPlaces;
inline constexpr size_t kTints = 2 * kTintPlaces * kTintPlaces;
// The last value is the same for all images: an image of one colour has a direction too.
inline constexpr float kAlways = 0.25f;
inline constexpr size_t kDim = gradients::kDim + kTints + 1;

}  // namespace builtin
}  // namespace dppl
