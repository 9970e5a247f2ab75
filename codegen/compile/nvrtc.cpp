// NVRTC: opening and compiling. Interface: codegen/compile/nvrtc.h. Covered by
// tests/codegen/nvrtc_test.cpp.
#include "codegen/compile/nvrtc.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

#include "codegen/compile/nvrtc_api.h"
#include "codegen/compile/standard_headers.h"
#include "lang/float_environment.h"
#include "lang/lists.h"

namespace gpx::codegen {

// The functions in use.
struct Nvrtc::Api {
  void* library = nullptr;
#define GPX_NVRTC_FIELD(field, result, symbol, ...) result (*field)(__VA_ARGS__) = nullptr;
  GPX_NVRTC_FUNCTIONS(GPX_NVRTC_FIELD)
#undef GPX_NVRTC_FIELD

  /// The name of the first function that the library lacks; empty if it has all.
  std::string resolve() {
    std::string missing;
    const auto get = [&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      if (!function && missing.empty()) missing = name;
    };
#define GPX_NVRTC_GET(field, result, symbol, ...) get(field, #symbol);
    GPX_NVRTC_FUNCTIONS(GPX_NVRTC_GET)
#undef GPX_NVRTC_GET
    return missing;
  }
};

namespace {

// Two calls to NVRTC that follow one pattern: ask for the size, then for the bytes.
template <typename Size, typename Get>
std::string fetch(Size size, Get get, nvrtcProgram program) {
  std::size_t bytes = 0;
  if (size(program, &bytes) != NVRTC_SUCCESS || bytes == 0) return {};
  std::string text(bytes, '\0');
  if (get(program, text.data()) != NVRTC_SUCCESS) return {};
  return text;
}

void drop_nul(std::string& text) {
  while (!text.empty() && text.back() == '\0') text.pop_back();
}

/// NVRTC opens its builtins by name when it first compiles. The loader knows that name only where
/// the toolkit's folder is configured (/etc/ld.so.conf.d), or where they are open already.
void open_builtins(const std::string& nvrtc, int major, int minor) {
  std::error_code code;
  const auto folder = std::filesystem::canonical(nvrtc, code).parent_path();
  const auto path = folder / fmt::format("libnvrtc-builtins.so.{}.{}", major, minor);
  const FloatEnvironment kept;
  if (!code) dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // absent: NVRTC says so
}

}  // namespace

Nvrtc::Nvrtc() : api_(std::make_unique<Api>()) {}
// The library stays open: it keeps thread-local state that must not vanish under a running thread.
Nvrtc::~Nvrtc() = default;

Result<std::shared_ptr<const Nvrtc>> Nvrtc::open(const NvrtcPlace& place) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Nvrtc>> opened;
  const std::lock_guard lock(mutex);
  if (const auto it = opened.find(place.path); it != opened.end()) return it->second;

  auto made = std::make_shared<Nvrtc>();
  made->path_ = place.path;
  Api& api = *made->api_;
  const FloatEnvironment kept;
  api.library = dlopen(place.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!api.library) return fail(Fault::device, fmt::format("cannot open NVRTC: {}", dlerror()));
  if (const std::string missing = api.resolve(); !missing.empty())
    return fail(Fault::device,
                fmt::format("{} is not a usable NVRTC: it has no {}", place.path, missing));
  int count = 0;
  if (api.version(&made->major_, &made->minor_) != NVRTC_SUCCESS ||
      api.arch_count(&count) != NVRTC_SUCCESS || count <= 0)
    return fail(Fault::device, fmt::format("{} does not behave as NVRTC", place.path));
  open_builtins(place.path, made->major_, made->minor_);
  made->watchable_ = bind_file_calls(api.library);
  made->architectures_.resize(static_cast<std::size_t>(count));
  api.archs(made->architectures_.data());
  std::sort(made->architectures_.begin(), made->architectures_.end());
  opened[place.path] = made;
  return std::shared_ptr<const Nvrtc>(made);
}

std::shared_mutex& Nvrtc::compiling() {
  static std::shared_mutex mutex;
  return mutex;
}

std::vector<std::string> nvrtc_options(const Target& target) {
  return {
      fmt::format("--gpu-architecture={}_{}{}", target.form == Target::Form::ptx ? "compute" : "sm",
                  target.sm, target.specific ? "a" : ""),
      "--std=c++17", "-default-device"};
}

Result<Compiled> Nvrtc::compile(const std::string& source, const std::string& name,
                                const Target& target, const NvrtcRequest& with) const {
  if (!contains(architectures_, target.sm))
    return fail(
        Fault::device,
        fmt::format("NVRTC {}.{} ({}) compiles for sm_{} to sm_{}, not for sm_{}", major_, minor_,
                    path_, architectures_.front(), architectures_.back(), target.sm),
        fmt::format("set GPX_NVRTC to the library of a {} CUDA toolkit",
                    target.sm > architectures_.back() ? "newer" : "matching"));
  const std::shared_lock lock(compiling());
  nvrtcProgram program = nullptr;
  std::vector<const char*> header_texts, header_names;
  for (const StandardHeader& header : standard_headers()) {
    header_texts.push_back(header.text);
    header_names.push_back(header.name);
  }
  for (const std::string& header : with.left_out) {
    header_texts.push_back("");
    header_names.push_back(header.c_str());
  }
  nvrtcResult result =
      api_->create(&program, source.c_str(), name.c_str(), static_cast<int>(header_texts.size()),
                   header_texts.data(), header_names.data());
  if (result != NVRTC_SUCCESS)
    return fail(Fault::device, fmt::format("NVRTC: {}", api_->error_string(result)));
  for (const std::string& each : with.names) api_->add_name(program, each.c_str());
  std::vector<const char*> options;
  std::vector<std::string> texts = nvrtc_options(target);
  texts.insert(texts.end(), with.options.begin(), with.options.end());
  for (const std::string& text : texts) options.push_back(text.c_str());
  {
    const WatchScope scope(with.watch);
    result = api_->compile(program, static_cast<int>(options.size()), options.data());
  }

  Compiled made;
  made.ok = result == NVRTC_SUCCESS;
  made.log = fetch(api_->log_size, api_->log, program);
  drop_nul(made.log);
  if (made.ok) {
    made.ptx = fetch(api_->ptx_size, api_->ptx, program);
    drop_nul(made.ptx);
    const std::string cubin = fetch(api_->cubin_size, api_->cubin, program);
    made.cubin.assign(cubin.begin(), cubin.end());
    for (const std::string& each : with.names) {
      const char* symbol = nullptr;
      const bool known = api_->lowered_name(program, each.c_str(), &symbol) == NVRTC_SUCCESS;
      made.names.emplace_back(known && symbol ? symbol : "");
    }
  }
  api_->destroy(&program);
  if (with.watch && (!watchable_ || !with.watch->asked()))
    return fail(Fault::device,
                fmt::format("{} opens files by calls that gpx cannot watch: what a kernel's file "
                            "includes cannot be seen",
                            path_),
                "set GPX_NVRTC to the library of another CUDA toolkit");
  if (!made.ok && result != NVRTC_ERROR_COMPILATION)
    return fail(Fault::device, fmt::format("NVRTC: {}{}{}", api_->error_string(result),
                                           made.log.empty() ? "" : ": ", made.log));
  if (made.ok && (made.ptx.empty() || (target.form == Target::Form::cubin && made.cubin.empty())))
    return fail(Fault::device, "NVRTC gave no code and no error");
  return made;
}

std::string describe_nvrtc() {
  const auto place = find_nvrtc();
  if (!place) return place.error().diagnostics.front().message;
  const auto nvrtc = Nvrtc::open(*place);
  if (!nvrtc) return nvrtc.error().diagnostics.front().message;
  return fmt::format("NVRTC {}.{} ({}), sm_{} to sm_{}", (*nvrtc)->major(), (*nvrtc)->minor(),
                     (*nvrtc)->path(), (*nvrtc)->architectures().front(),
                     (*nvrtc)->architectures().back());
}

}  // namespace gpx::codegen
