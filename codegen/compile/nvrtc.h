// NVRTC: the CUDA compiler as a library, found and opened at run time.
//
// Where it is looked for: GPX_NVRTC (the library or its folder; "off": nowhere), CUDA_HOME and
// CUDA_PATH, the loader's own path (LD_LIBRARY_PATH), the usual folders of a toolkit, the loader's
// cache. Covered by tests/codegen/nvrtc_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

#include "codegen/compile/artifact.h"
#include "codegen/compile/compiler.h"
#include "codegen/compile/file_watch.h"
#include "lang/diagnostic.h"

namespace gpx::codegen {

/// Where NVRTC is. `identity` changes when another library stands there, or is given other flags by
/// NVRTC_APPEND_FLAGS: it is part of the keys of the artifact cache, and is found without opening
/// the library.
struct NvrtcPlace {
  std::string path;
  std::string identity;
};

/// GPX_NVRTC with this value: NVRTC is not used, whether it is there or not.
constexpr const char* kNoNvrtc = "off";

/// An error (Fault::device) lists every place that was tried.
Result<NvrtcPlace> find_nvrtc();

/// Folders of the toolkit's own headers (cuda_fp16.h, cooperative_groups.h, cuda/std/...), as
/// include paths; none where the library stands alone.
std::vector<std::string> toolkit_includes(const NvrtcPlace& place);

/// What a compilation of a user's file is given beyond its source.
struct NvrtcRequest {
  std::vector<std::string> options = {};
  std::vector<std::string> left_out = {};  ///< Headers that are empty.
  std::vector<std::string> names = {};     ///< Of instances of templates: "k<float>".
  FileWatch* watch =
      nullptr;  ///< What the source may include; an error where it cannot be watched.
};

class Nvrtc {
 public:
  /// Opened once for each process and kept. An error says what is wrong with the library.
  static Result<std::shared_ptr<const Nvrtc>> open(const NvrtcPlace& place);

  int major() const { return major_; }
  int minor() const { return minor_; }
  const std::vector<int>& architectures() const { return architectures_; }  ///< 75, 80, ...
  const std::string& path() const { return path_; }

  /// Safe from several threads. An error means that NVRTC itself failed or cannot compile for the
  /// target; a mistake in the source is a Compiled that is not ok.
  Result<Compiled> compile(const std::string& source, const std::string& name, const Target& target,
                           const NvrtcRequest& with = {}) const;

  /// Held, shared, by each compilation in this process.
  static std::shared_mutex& compiling();

  Nvrtc();
  ~Nvrtc();
  struct Api;

 private:
  std::unique_ptr<Api> api_;
  std::string path_;
  int major_ = 0, minor_ = 0;
  std::vector<int> architectures_;
  bool watchable_ = false;
};

/// The options of a compilation for `target`, in order.
std::vector<std::string> nvrtc_options(const Target& target);

/// For `gpx doctor`: "NVRTC 13.0 (PATH), sm_75 to sm_121", or why there is none.
std::string describe_nvrtc();

}  // namespace gpx::codegen
