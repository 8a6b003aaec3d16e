#pragma once

#include <cstddef>

// How much a page shows, and how large. None of it changes what a page says.
namespace dppl {

// Public images that illustrate a mean: a row of them.
inline constexpr size_t kNearestImages = 4;
// Classes whose images are shown, and classes whose recall is; more of them wait behind a click.
inline constexpr size_t kOpenGalleries = 40, kOpenRecalls = 30;
inline constexpr size_t kOpenEntries = 30;  // of a ledger
// Of all galleries together, and of a table: a browser still scrolls a page of that size.
inline constexpr size_t kMostImages = 3000, kMostRecalls = 1000;
// The side of an image in pixels; from so many images on they are small.
inline constexpr size_t kImageSide = 96, kSmallImageSide = 48, kSmallFrom = 400;
// Up to this side, pixels are shown as squares: smoothed, they would be a blur.
inline constexpr size_t kCrispSide = 64;

// Of charts, in pixels: all panels, one panel, what is beside one; and of their text.
inline constexpr double kWide = 1080, kNarrow = 680, kAxis = 62;
inline constexpr double kText = 12, kHeading = 16;
inline constexpr size_t kMostColumns = 4;

}  // namespace dppl
