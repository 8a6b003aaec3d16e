#pragma once

#include <gtest/gtest.h>

#include "dppl/error.h"
#include "encoders/ort_library.h"

// First line of a test that runs a model.
#define DPPL_NEEDS_ONNX_RUNTIME()                             \
  try {                                                       \
    dppl::ort::Library::get();                                \
  } catch (const dppl::Error& error) {                        \
    GTEST_SKIP() << "without ONNX Runtime: " << error.what(); \
  }                                                           \
  static_assert(true)
