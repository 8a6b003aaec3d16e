#include "encoders/ort_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "dppl/error.h"

namespace dppl::ort {
namespace {

constexpr const char* kFileName = "libonnxruntime.so.1";
constexpr const char* kHowToGetIt =
    "get it with scripts/setup-onnx.sh, or set DPPL_ONNXRUNTIME to its libonnxruntime.so";

// A library that someone else could have put there is not loaded.
bool is_ours(const std::filesystem::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && (status.st_uid == 0 || status.st_uid == ::geteuid());
}

// The program, and what this code was loaded from where that is something else: a module of Python's.
std::vector<std::filesystem::path> homes() {
  std::vector<std::filesystem::path> result;
  std::error_code error;
  if (auto program = std::filesystem::read_symlink("/proc/self/exe", error); !error) result.push_back(program);
  Dl_info loaded{};
  if (::dladdr(reinterpret_cast<const void*>(&is_ours), &loaded) != 0 && loaded.dli_fname != nullptr) {
    if (auto module = std::filesystem::canonical(loaded.dli_fname, error); !error) result.push_back(module);
  }
  return result;
}

// Beside an installed program, and beside what is at build/, build/tests/, build/PRESET/tests/ and build/python/dppl/.
std::vector<std::filesystem::path> folders() {
  std::vector<std::filesystem::path> result;
  for (const std::filesystem::path& home : homes()) {
    const std::filesystem::path up = home.parent_path().parent_path(), set_up = ".deps/onnxruntime";
    result.insert(result.end(), {up / "lib" / "dppl", up / set_up, up.parent_path() / set_up,
                                 up.parent_path().parent_path() / set_up});
  }
  return result;
}

// Distributions name the system's library by its whole version.
std::vector<std::string> candidates() {
  if (const char* named = std::getenv("DPPL_ONNXRUNTIME"); named != nullptr && *named != '\0') return {named};
  std::vector<std::string> result;
  for (const std::filesystem::path& folder : folders()) {
    if (is_ours(folder / kFileName)) result.push_back(folder / kFileName);
  }
  result.insert(result.end(), {kFileName, "libonnxruntime.so"});
  for (uint32_t minor = 60; minor >= kApiVersion; --minor) result.push_back(fmt::format("{}.{}", kFileName, minor));
  return result;
}

std::string one_line(std::string_view text) {
  std::string result(text.substr(0, text.find('\n')));
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return result;
}

}  // namespace

Library::Library() {
  void* handle = nullptr;
  std::string refusal;  // of the one that should be there
  for (const std::string& candidate : candidates()) {
    handle = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    path_ = candidate;
    if (handle != nullptr) break;
    const char* const why = ::dlerror();
    if (refusal.empty()) refusal = one_line(why == nullptr ? candidate : why);
  }
  if (handle == nullptr) {
    throw InvalidInput(fmt::format("ONNX Runtime: cannot be opened ({}); {}", refusal, kHowToGetIt));
  }
  using GetApiBase = const ApiBase* (*)();
  const auto get_base = reinterpret_cast<GetApiBase>(::dlsym(handle, "OrtGetApiBase"));
  if (get_base == nullptr) {
    throw InvalidInput(fmt::format("{}: is not ONNX Runtime; {}", path_, kHowToGetIt));
  }
  version_ = get_base()->GetVersionString();
  api_ = get_base()->GetApi(kApiVersion);
  if (api_ == nullptr) {
    throw InvalidInput(
        fmt::format("{}: ONNX Runtime {} is older than 1.{}; {}", path_, version_, kApiVersion, kHowToGetIt));
  }
  try {
    check(api_->CreateEnv(kLogFatal, "dppl", &env_));
    check(api_->GetAllocatorWithDefaultOptions(&allocator_));
  } catch (const Failure& failure) {
    throw IoError(fmt::format("{}: ONNX Runtime cannot start: {}", path_, failure.message));
  }
}

const Library& Library::get() {
  // Never destroyed: threads of the library may outlive the end of main.
  static const Library* const library = new Library;
  return *library;
}

void Library::check(Status* status) const {
  if (status == nullptr) return;
  Failure failure{one_line(api_->GetErrorMessage(status))};
  api_->ReleaseStatus(status);
  throw failure;
}

}  // namespace dppl::ort
