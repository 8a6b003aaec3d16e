#include "support/onnx_run.h"

#include <numeric>
#include <stdexcept>

#include "encoders/ort_library.h"

namespace dppl::testing {
namespace {

using ort::Api;
using ort::ElementType;

template <typename T>
constexpr ElementType type_of() {
  if constexpr (std::is_same_v<T, float>) return ElementType::float32;
  if constexpr (std::is_same_v<T, uint8_t>) return ElementType::uint8;
  return ElementType::int64;
}

template <typename T>
std::vector<T> copy_values(ort::Value* value, size_t count) {
  const auto* data = static_cast<const T*>(ort::fetch<void*>(&Api::GetTensorMutableData, value));
  return {data, data + count};
}

RuntimeTensor read(ort::Value* value) {
  const ort::Library& library = ort::Library::get();
  const auto info = ort::make<ort::OwnedTensorInfo>(&Api::GetTensorTypeAndShape, value);
  RuntimeTensor tensor;
  tensor.shape.resize(ort::fetch<size_t>(&Api::GetDimensionsCount, info.get()));
  library.check(library.api().GetDimensions(info.get(), tensor.shape.data(), tensor.shape.size()));
  const auto count =
      static_cast<size_t>(std::accumulate(tensor.shape.begin(), tensor.shape.end(), int64_t{1}, std::multiplies<>()));
  switch (ort::fetch<ElementType>(&Api::GetTensorElementType, info.get())) {
    case ElementType::float32:
      tensor.values = copy_values<float>(value, count);
      break;
    case ElementType::int64:
      tensor.values = copy_values<int64_t>(value, count);
      break;
    default:
      throw std::runtime_error("an output of a type that no test expects");
  }
  return tensor;
}

template <typename Action>
auto in_words(const Action& action) {
  try {
    return action();
  } catch (const ort::Failure& failure) {
    throw std::runtime_error(failure.message);
  }
}

}  // namespace

struct OnnxRun::State {
  ort::OwnedMemoryInfo memory;
  ort::OwnedSession session;
};

OnnxRun::OnnxRun(const std::string& path) : state_(std::make_unique<State>()) {
  in_words([&] {
    const auto options = ort::make<ort::OwnedOptions>(&Api::CreateSessionOptions);
    state_->memory =
        ort::make<ort::OwnedMemoryInfo>(&Api::CreateCpuMemoryInfo, ort::kArenaAllocator, ort::kDefaultMemory);
    state_->session =
        ort::make<ort::OwnedSession>(&Api::CreateSession, ort::Library::get().env(), path.c_str(), options.get());
  });
}

OnnxRun::~OnnxRun() = default;

std::vector<RuntimeTensor> OnnxRun::operator()(const std::string& input, const RuntimeTensor& value,
                                               const std::vector<std::string>& outputs) const {
  return in_words([&] {
    const ort::Library& library = ort::Library::get();
    const ort::OwnedValue in = std::visit(
        [&]<typename T>(const std::vector<T>& values) {
          // ONNX Runtime only reads its inputs, but takes them through a pointer that could write.
          void* data = const_cast<T*>(values.data());
          return ort::make<ort::OwnedValue>(&Api::CreateTensorWithDataAsOrtValue, state_->memory.get(), data,
                                            values.size() * sizeof(T), value.shape.data(), value.shape.size(),
                                            type_of<T>());
        },
        value.values);
    const char* const input_name = input.c_str();
    const ort::Value* const in_pointer = in.get();
    std::vector<const char*> names;
    for (const std::string& name : outputs) names.push_back(name.c_str());
    std::vector<ort::Value*> made(outputs.size());
    library.check(library.api().Run(state_->session.get(), nullptr, &input_name, &in_pointer, 1, names.data(),
                                    names.size(), made.data()));
    std::vector<RuntimeTensor> result;
    for (ort::Value* each : made) result.push_back(read(ort::OwnedValue(each).get()));
    return result;
  });
}

}  // namespace dppl::testing
