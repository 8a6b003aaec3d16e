#include "encoders/ort_api.h"

#include <gtest/gtest.h>

#if __has_include(<onnxruntime/onnxruntime_c_api.h>)
#include <onnxruntime/onnxruntime_c_api.h>
#endif

namespace dppl::ort {
namespace {

// The published order of the table.
TEST(OrtApi, EveryFunctionIsAtItsPlace) {
#define DPPL_PLACE(function, place) EXPECT_EQ(offsetof(Api, function) / sizeof(void*), size_t{place})
  DPPL_PLACE(GetErrorMessage, 2);
  DPPL_PLACE(CreateEnv, 3);
  DPPL_PLACE(CreateSession, 7);
  DPPL_PLACE(Run, 9);
  DPPL_PLACE(SetIntraOpNumThreads, 24);
  DPPL_PLACE(SessionGetOutputCount, 31);
  DPPL_PLACE(SessionGetOutputTypeInfo, 34);
  DPPL_PLACE(SessionGetOutputName, 37);
  DPPL_PLACE(CreateTensorWithDataAsOrtValue, 49);
  DPPL_PLACE(GetTensorMutableData, 51);
  DPPL_PLACE(CastTypeInfoToTensorInfo, 55);
  DPPL_PLACE(GetDimensions, 62);
  DPPL_PLACE(GetTensorTypeAndShape, 65);
  DPPL_PLACE(CreateCpuMemoryInfo, 69);
  DPPL_PLACE(AllocatorFree, 76);
  DPPL_PLACE(GetAllocatorWithDefaultOptions, 78);
  DPPL_PLACE(ReleaseValue, 96);
  DPPL_PLACE(ReleaseSessionOptions, 100);
  DPPL_PLACE(SessionGetModelMetadata, 111);
  DPPL_PLACE(ModelMetadataLookupCustomMetadataMap, 116);
  DPPL_PLACE(ReleaseModelMetadata, 118);
#undef DPPL_PLACE
}

#ifdef ORT_API_VERSION
TEST(OrtApi, AgreesWithThePublishedHeader) {
#define DPPL_SAME(function) EXPECT_EQ(offsetof(Api, function), offsetof(OrtApi, function))
  DPPL_SAME(GetErrorMessage);
  DPPL_SAME(CreateEnv);
  DPPL_SAME(CreateSession);
  DPPL_SAME(Run);
  DPPL_SAME(CreateSessionOptions);
  DPPL_SAME(SetIntraOpNumThreads);
  DPPL_SAME(SessionGetInputCount);
  DPPL_SAME(SessionGetOutputCount);
  DPPL_SAME(SessionGetInputTypeInfo);
  DPPL_SAME(SessionGetOutputTypeInfo);
  DPPL_SAME(SessionGetInputName);
  DPPL_SAME(SessionGetOutputName);
  DPPL_SAME(CreateTensorWithDataAsOrtValue);
  DPPL_SAME(GetTensorMutableData);
  DPPL_SAME(CastTypeInfoToTensorInfo);
  DPPL_SAME(GetTensorElementType);
  DPPL_SAME(GetDimensionsCount);
  DPPL_SAME(GetDimensions);
  DPPL_SAME(GetTensorTypeAndShape);
  DPPL_SAME(CreateCpuMemoryInfo);
  DPPL_SAME(AllocatorFree);
  DPPL_SAME(GetAllocatorWithDefaultOptions);
  DPPL_SAME(ReleaseStatus);
  DPPL_SAME(ReleaseMemoryInfo);
  DPPL_SAME(ReleaseSession);
  DPPL_SAME(ReleaseValue);
  DPPL_SAME(ReleaseTypeInfo);
  DPPL_SAME(ReleaseTensorTypeAndShapeInfo);
  DPPL_SAME(ReleaseSessionOptions);
  DPPL_SAME(SessionGetModelMetadata);
  DPPL_SAME(ModelMetadataLookupCustomMetadataMap);
  DPPL_SAME(ReleaseModelMetadata);
#undef DPPL_SAME
}
#endif

}  // namespace
}  // namespace dppl::ort
