#include "encoders/onnx_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/float16.h"
#include "base/mapped_file.h"
#include "dppl/invalid_record.h"

namespace dppl {
namespace {

using ort::Api;
using ort::ElementType;

OnnxTensor read_type(const ort::TensorInfo* info) {
  OnnxTensor tensor;
  tensor.type = ort::fetch<ElementType>(&Api::GetTensorElementType, info);
  tensor.shape.resize(ort::fetch<size_t>(&Api::GetDimensionsCount, info));
  const ort::Library& library = ort::Library::get();
  library.check(library.api().GetDimensions(info, tensor.shape.data(), tensor.shape.size()));
  return tensor;
}

using TypeFunction = decltype(Api::SessionGetInputTypeInfo);
using NameFunction = decltype(Api::SessionGetInputName);

OnnxTensor read_tensor(const ort::Session* session, size_t i, TypeFunction Api::*type, NameFunction Api::*name) {
  const ort::Library& library = ort::Library::get();
  const auto owner = ort::make<ort::OwnedTypeInfo>(type, session, i);
  const auto info = ort::fetch<const ort::TensorInfo*>(&Api::CastTypeInfoToTensorInfo, owner.get());
  OnnxTensor tensor = info == nullptr ? OnnxTensor{} : read_type(info);
  char* text = ort::fetch<char*>(name, session, i, library.allocator());
  tensor.name = text;
  library.check(library.api().AllocatorFree(library.allocator(), text));
  return tensor;
}

ort::OwnedSession load(const std::string& path, unsigned threads) {
  const MappedFile file(path);  // says in our words that it is not there, a folder or not readable
  if (file.bytes().empty()) throw InvalidInput(fmt::format("{}: is empty; it should be an ONNX model", path));
  const ort::Library& library = ort::Library::get();
  try {
    const auto options = ort::make<ort::OwnedOptions>(&Api::CreateSessionOptions);
    library.check(library.api().SetIntraOpNumThreads(options.get(), static_cast<int>(threads)));
    return ort::make<ort::OwnedSession>(&Api::CreateSession, library.env(), path.c_str(), options.get());
  } catch (const ort::Failure& failure) {
    const bool lacks_data = failure.message.find("xternal data") != std::string::npos ||
                            failure.message.find("xternal initializer") != std::string::npos ||
                            failure.message.find("No such file") != std::string::npos;
    throw InvalidInput(fmt::format("{}: cannot be loaded by ONNX Runtime {}: {}; {}", path, library.version(),
                                   failure.message,
                                   lacks_data ? "put the model's files of weights (often .onnx_data) beside it"
                                              : "export the model again, or fetch it again if it was cut short"));
  }
}

}  // namespace

std::string_view to_string(ElementType type) {
  switch (type) {
    case ElementType::undefined:
      return "something else than a tensor,";
    case ElementType::float32:
      return "float32";
    case ElementType::uint8:
      return "uint8";
    case ElementType::int32:
      return "int32";
    case ElementType::int64:
      return "int64";
    case ElementType::string:
      return "string";
    case ElementType::float16:
      return "float16";
    case ElementType::float64:
      return "float64";
  }
  return "another type";
}

std::string OnnxTensor::describe() const {
  std::string extents;
  for (const int64_t extent : shape) {
    extents += fmt::format("{}{}", extents.empty() ? "" : ", ", extent < 0 ? "?" : std::to_string(extent));
  }
  // A model may be named anything, terminal control sequences included.
  std::string printable = name;
  std::replace_if(
      printable.begin(), printable.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
  return fmt::format("{} {} [{}]", to_string(type), printable, extents);
}

OnnxSession::OnnxSession(const std::string& path, unsigned threads) : path_(path), session_(load(path, threads)) {
  try {
    memory_ = ort::make<ort::OwnedMemoryInfo>(&Api::CreateCpuMemoryInfo, ort::kArenaAllocator, ort::kDefaultMemory);
    const ort::Session* session = session_.get();
    for (size_t i = 0; i < ort::fetch<size_t>(&Api::SessionGetInputCount, session); ++i) {
      inputs_.push_back(read_tensor(session, i, &Api::SessionGetInputTypeInfo, &Api::SessionGetInputName));
    }
    for (size_t i = 0; i < ort::fetch<size_t>(&Api::SessionGetOutputCount, session); ++i) {
      outputs_.push_back(read_tensor(session, i, &Api::SessionGetOutputTypeInfo, &Api::SessionGetOutputName));
    }
  } catch (const ort::Failure& failure) {
    throw InvalidInput(fmt::format("{}: its inputs and outputs cannot be read: {}", path, failure.message));
  }
}

std::string OnnxSession::metadata(const std::string& key) const {
  const ort::Library& library = ort::Library::get();
  try {
    const auto all = ort::make<ort::OwnedMetadata>(&Api::SessionGetModelMetadata, session_.get());
    char* text =
        ort::fetch<char*>(&Api::ModelMetadataLookupCustomMetadataMap, all.get(), library.allocator(), key.c_str());
    if (text == nullptr) return "";
    std::string result = text;
    library.check(library.api().AllocatorFree(library.allocator(), text));
    return result;
  } catch (const ort::Failure& failure) {
    throw InvalidInput(fmt::format("{}: its metadata cannot be read: {}", path_, failure.message));
  }
}

ort::OwnedValue OnnxSession::input_value(const OnnxTensor& input, std::span<const float> values,
                                         std::span<uint16_t> halves, const std::vector<int64_t>& shape) const {
  // ONNX Runtime only reads its inputs, but takes them through a pointer that could write.
  void* data = const_cast<float*>(values.data());
  size_t bytes = values.size_bytes();
  if (!halves.empty()) {
    std::transform(values.begin(), values.end(), halves.begin(), float_to_half);
    data = halves.data();
    bytes = halves.size_bytes();
  }
  return ort::make<ort::OwnedValue>(&Api::CreateTensorWithDataAsOrtValue, memory_.get(), data, bytes, shape.data(),
                                    shape.size(), input.type);
}

std::vector<float> OnnxSession::values_of(ort::Value* value, const OnnxTensor& type) const {
  size_t count = 1;
  for (const int64_t extent : type.shape) count *= static_cast<size_t>(extent);
  const void* data = ort::fetch<void*>(&Api::GetTensorMutableData, value);
  std::vector<float> result(count);
  if (type.type == ElementType::float32) {
    std::memcpy(result.data(), data, count * sizeof(float));
  } else if (type.type == ElementType::float16) {
    const auto* halves = static_cast<const uint16_t*>(data);
    std::transform(halves, halves + count, result.begin(), half_to_float);
  } else {
    throw InvalidInput(fmt::format("{}: its output is {}; an embedding is float32 or float16", path_, type.describe()));
  }
  return result;
}

OnnxSession::Result OnnxSession::run(const OnnxTensor& input, std::span<const float> values,
                                     const std::vector<int64_t>& shape, const std::string& output) const {
  const ort::Library& library = ort::Library::get();
  std::vector<uint16_t> halves(input.type == ElementType::float16 ? values.size() : 0);
  try {
    const ort::OwnedValue in = input_value(input, values, halves, shape);
    const char *const input_name = input.name.c_str(), *const output_name = output.c_str();
    const ort::Value* const in_pointer = in.get();
    ort::Value* out_pointer = nullptr;
    library.check(
        library.api().Run(session_.get(), nullptr, &input_name, &in_pointer, 1, &output_name, 1, &out_pointer));
    const ort::OwnedValue out(out_pointer);
    OnnxTensor type = read_type(ort::make<ort::OwnedTensorInfo>(&Api::GetTensorTypeAndShape, out.get()).get());
    type.name = output;
    return {type.shape, values_of(out.get(), type)};
  } catch (const ort::Failure& failure) {
    OnnxTensor given{input.name, input.type, shape};
    // Its words may quote values of the images.
    throw InvalidRecord(fmt::format("{}: ONNX Runtime cannot run it on {}", path_, given.describe()), failure.message);
  }
}

}  // namespace dppl
