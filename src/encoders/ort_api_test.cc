#include "encoders/ort_api.h"

#include <gtest/gtest.h>

#include <type_traits>
#include <utility>
#include <vector>

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

// Whether a call passes the two types alike: numbers of one size, or pointers to such, equally const. The structures
// behind opaque pointers have other names here.
template <typename Ours, typename Theirs>
constexpr bool passed_alike() {
  if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    using Our = std::remove_pointer_t<Ours>;
    using Their = std::remove_pointer_t<Theirs>;
    return std::is_const_v<Our> == std::is_const_v<Their> &&
           passed_alike<std::remove_const_t<Our>, std::remove_const_t<Their>>();
  } else if constexpr (std::is_class_v<Ours> && std::is_class_v<Theirs>) {
    return true;
  } else if constexpr (std::is_enum_v<Theirs>) {
    return !std::is_pointer_v<Ours> && sizeof(Ours) == sizeof(Theirs);
  } else {
    return std::is_same_v<Ours, Theirs>;
  }
}

template <typename Our, typename... Ours, typename Their, typename... Theirs>
constexpr bool called_alike(Our (*)(Ours...), Their (*)(Theirs...)) {
  if constexpr (sizeof...(Ours) == sizeof...(Theirs)) {
    return passed_alike<Our, Their>() && (passed_alike<Ours, Theirs>() && ...);
  }
  return false;
}

TEST(OrtApi, AgreesWithThePublishedHeader) {
#ifndef ORT_API_VERSION
  GTEST_SKIP() << "without ONNX Runtime's header, which scripts/setup-onnx-header.sh fetches, when this was built";
#else
  const Api ours{};
  const OrtApi theirs{};
#define DPPL_SAME(function)                                       \
  EXPECT_EQ(offsetof(Api, function), offsetof(OrtApi, function)); \
  EXPECT_TRUE(called_alike(ours.function, theirs.function)) << #function
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
  EXPECT_EQ(offsetof(ApiBase, GetApi), offsetof(OrtApiBase, GetApi));
  EXPECT_EQ(offsetof(ApiBase, GetVersionString), offsetof(OrtApiBase, GetVersionString));
  EXPECT_TRUE(called_alike(ApiBase{}.GetApi, OrtApiBase{}.GetApi));
  EXPECT_TRUE(called_alike(ApiBase{}.GetVersionString, OrtApiBase{}.GetVersionString));

  const std::vector<std::pair<ElementType, ONNXTensorElementDataType>> types = {
      {ElementType::undefined, ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED},
      {ElementType::float32, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT},
      {ElementType::uint8, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8},
      {ElementType::int32, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32},
      {ElementType::int64, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64},
      {ElementType::string, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING},
      {ElementType::float16, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16},
      {ElementType::float64, ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE}};
  for (const auto& [our, their] : types) EXPECT_EQ(static_cast<int>(our), static_cast<int>(their));
  EXPECT_EQ(kLogFatal, int{ORT_LOGGING_LEVEL_FATAL});
  EXPECT_EQ(kArenaAllocator, int{OrtArenaAllocator});
  EXPECT_EQ(kDefaultMemory, int{OrtMemTypeDefault});

  // The version that is asked for exists, and its table, which ended with ReleaseAvailableProviders, has all of ours.
  EXPECT_LE(kApiVersion, uint32_t{ORT_API_VERSION});
  EXPECT_EQ(kApiVersion, 4u);
  EXPECT_LE(sizeof(Api), offsetof(OrtApi, ReleaseAvailableProviders) + sizeof(void*));
#endif
}

}  // namespace
}  // namespace dppl::ort
