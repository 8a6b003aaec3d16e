#pragma once

#include <cstddef>
#include <cstdint>

// The part of ONNX Runtime's C interface that is used here. Its functions come in a table to which versions append and
// never change what is there; all of these are in the table since version 1.4. Declared by hand, so that the program
// builds without ONNX Runtime and finds it when it runs; a test compares all of it with the published header, which
// scripts/setup-onnx-header.sh fetches.
namespace dppl::ort {

struct Status;
struct Env;
struct MemoryInfo;
struct ModelMetadata;
struct Session;
struct SessionOptions;
struct TensorInfo;  // element type and shape
struct TypeInfo;
struct Value;
struct Allocator;
struct RunOptions;

// ONNX's numbers for the types of elements.
enum class ElementType : int {
  undefined = 0,
  float32 = 1,
  uint8 = 2,
  int32 = 6,
  int64 = 7,
  string = 8,
  float16 = 10,
  float64 = 11
};
inline constexpr int kLogFatal = 4;
inline constexpr int kArenaAllocator = 1;
inline constexpr int kDefaultMemory = 0;

// A function that can fail gives null, or a status that the caller releases.
struct Api {
  void* before_2[2];
  const char* (*GetErrorMessage)(const Status*);
  Status* (*CreateEnv)(int log_level, const char* log_id, Env** out);
  void* before_7[3];
  Status* (*CreateSession)(const Env*, const char* path, const SessionOptions*, Session** out);
  void* before_9[1];
  Status* (*Run)(Session*, const RunOptions*, const char* const* input_names, const Value* const* inputs,
                 size_t input_count, const char* const* output_names, size_t output_count, Value** outputs);
  Status* (*CreateSessionOptions)(SessionOptions** out);
  void* before_24[13];
  Status* (*SetIntraOpNumThreads)(SessionOptions*, int threads);
  void* before_30[5];
  Status* (*SessionGetInputCount)(const Session*, size_t* out);
  Status* (*SessionGetOutputCount)(const Session*, size_t* out);
  void* before_33[1];
  Status* (*SessionGetInputTypeInfo)(const Session*, size_t index, TypeInfo** out);
  Status* (*SessionGetOutputTypeInfo)(const Session*, size_t index, TypeInfo** out);
  void* before_36[1];
  Status* (*SessionGetInputName)(const Session*, size_t index, Allocator*, char** out);
  Status* (*SessionGetOutputName)(const Session*, size_t index, Allocator*, char** out);
  void* before_49[11];
  Status* (*CreateTensorWithDataAsOrtValue)(const MemoryInfo*, void* data, size_t bytes, const int64_t* shape,
                                            size_t rank, ElementType, Value** out);
  void* before_51[1];
  Status* (*GetTensorMutableData)(Value*, void** out);
  void* before_55[3];
  Status* (*CastTypeInfoToTensorInfo)(const TypeInfo*, const TensorInfo** out);  // null: something else than a tensor
  void* before_60[4];
  Status* (*GetTensorElementType)(const TensorInfo*, ElementType* out);
  Status* (*GetDimensionsCount)(const TensorInfo*, size_t* out);
  Status* (*GetDimensions)(const TensorInfo*, int64_t* out, size_t count);
  void* before_65[2];
  Status* (*GetTensorTypeAndShape)(const Value*, TensorInfo** out);
  void* before_69[3];
  Status* (*CreateCpuMemoryInfo)(int allocator_type, int memory_type, MemoryInfo** out);
  void* before_76[6];
  Status* (*AllocatorFree)(Allocator*, void*);
  void* before_78[1];
  Status* (*GetAllocatorWithDefaultOptions)(Allocator** out);
  void* before_93[14];
  void (*ReleaseStatus)(Status*);
  void (*ReleaseMemoryInfo)(MemoryInfo*);
  void (*ReleaseSession)(Session*);
  void (*ReleaseValue)(Value*);
  void* before_98[1];
  void (*ReleaseTypeInfo)(TypeInfo*);
  void (*ReleaseTensorTypeAndShapeInfo)(TensorInfo*);
  void (*ReleaseSessionOptions)(SessionOptions*);
  void* before_111[10];
  Status* (*SessionGetModelMetadata)(const Session*, ModelMetadata** out);
  void* before_116[4];
  Status* (*ModelMetadataLookupCustomMetadataMap)(const ModelMetadata*, Allocator*, const char* key, char** out);
  void* before_118[1];
  void (*ReleaseModelMetadata)(ModelMetadata*);
};

inline constexpr uint32_t kApiVersion = 4;

struct ApiBase {
  const Api* (*GetApi)(uint32_t version);  // null: the library is older than `version`
  const char* (*GetVersionString)();
};

}  // namespace dppl::ort
