#pragma once

#include <memory>
#include <string>

#include "encoders/ort_api.h"

namespace dppl::ort {

// What ONNX Runtime itself said, in one line. Callers add the file and what to do.
struct Failure {
  std::string message;
};

// ONNX Runtime's shared library, opened when it is first needed and kept. Looked for at $DPPL_ONNXRUNTIME (a path),
// then where scripts/setup-onnx.sh puts it as seen from the program, in lib/dppl/ of an installed program, and among
// the system's libraries. Throws InvalidInput, with the way to get it, when it is not there or too old.
class Library {
 public:
  static const Library& get();

  const Api& api() const { return *api_; }
  const Env* env() const { return env_; }
  Allocator* allocator() const { return allocator_; }
  const std::string& version() const { return version_; }
  const std::string& path() const { return path_; }

  // Throws Failure unless `status` is null; releases it.
  void check(Status* status) const;

 private:
  Library();

  const Api* api_ = nullptr;
  Env* env_ = nullptr;
  Allocator* allocator_ = nullptr;
  std::string version_, path_;
};

// Owns what one of the table's Release functions lets go.
template <typename T, void (*Api::*release)(T*)>
struct Releaser {
  void operator()(T* object) const { (Library::get().api().*release)(object); }
};
template <typename T, void (*Api::*release)(T*)>
using Owned = std::unique_ptr<T, Releaser<T, release>>;

using OwnedSession = Owned<Session, &Api::ReleaseSession>;
using OwnedOptions = Owned<SessionOptions, &Api::ReleaseSessionOptions>;
using OwnedValue = Owned<Value, &Api::ReleaseValue>;
using OwnedTypeInfo = Owned<TypeInfo, &Api::ReleaseTypeInfo>;
using OwnedTensorInfo = Owned<TensorInfo, &Api::ReleaseTensorTypeAndShapeInfo>;
using OwnedMemoryInfo = Owned<MemoryInfo, &Api::ReleaseMemoryInfo>;
using OwnedMetadata = Owned<ModelMetadata, &Api::ReleaseModelMetadata>;

// What a function of the table puts into its last argument.
template <typename T, typename Function, typename... Arguments>
T fetch(Function Api::*function, Arguments... arguments) {
  const Library& library = Library::get();
  T result{};
  library.check((library.api().*function)(arguments..., &result));
  return result;
}

// The same for objects: the caller owns it.
template <typename Handle, typename Function, typename... Arguments>
Handle make(Function Api::*function, Arguments... arguments) {
  return Handle(fetch<typename Handle::pointer>(function, arguments...));
}

}  // namespace dppl::ort
