// Where NVRTC is. Interface: codegen/compile/nvrtc.h. Covered by tests/codegen/nvrtc_test.cpp.
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "codegen/compile/nvrtc.h"
#include "codegen/ir/text.h"
#include "lang/float_environment.h"

namespace gpx::codegen {
namespace {

namespace fs = std::filesystem;

// Newest first. The plain name is the one that toolkits keep for linking.
constexpr const char* kNames[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                  "libnvrtc.so"};

std::optional<NvrtcPlace> file_at(const fs::path& path) {
  std::error_code code;
  const fs::path real = fs::canonical(path, code);
  struct stat status {};
  if (code || stat(real.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  // NVRTC itself adds what this variable holds to the options of each compilation.
  const std::string flags = environment("NVRTC_APPEND_FLAGS");
  return NvrtcPlace{path.string(), fmt::format("{}:{}:{}.{}{}{}", real.string(), status.st_size,
                                               status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                                               flags.empty() ? "" : ":", flags)};
}

std::optional<NvrtcPlace> in_folder(const fs::path& folder) {
  for (const char* name : kNames)
    if (auto place = file_at(folder / name)) return place;
  return std::nullopt;
}

void add_split(std::vector<fs::path>& folders, const std::string& list) {
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) folders.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
}

// /usr/local/cuda-13.0 and the like, the highest name first.
void add_toolkits(std::vector<fs::path>& folders) {
  std::vector<fs::path> found;
  std::error_code code;
  for (fs::directory_iterator it("/usr/local", code), end; !code && it != end; it.increment(code))
    if (it->path().filename().string().starts_with("cuda-")) found.push_back(it->path());
  std::sort(found.rbegin(), found.rend());
  found.insert(found.begin(), "/usr/local/cuda");
  found.emplace_back("/opt/cuda");
  for (const fs::path& toolkit : found) folders.push_back(toolkit / "lib64");
}

std::vector<fs::path> folders_to_try() {
  std::vector<fs::path> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string home = environment(variable); !home.empty())
      for (const char* sub : {"lib64", "lib", "targets/x86_64-linux/lib"})
        folders.push_back(fs::path(home) / sub);
  add_split(folders, environment("LD_LIBRARY_PATH"));
  add_toolkits(folders);
  for (const char* folder :
       {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"})
    folders.emplace_back(folder);
  return folders;
}

// The loader's cache can only be asked by opening.
std::optional<NvrtcPlace> by_loader() {
  const FloatEnvironment kept;
  for (const char* name : kNames) {
    void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) continue;
    link_map* map = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map)
      if (auto place = file_at(map->l_name)) return place;
  }
  return std::nullopt;
}

}  // namespace

// Beside the library, as toolkits and wheels have them; else where toolkits are.
std::vector<std::string> toolkit_includes(const NvrtcPlace& place) {
  std::error_code code;
  const fs::path folder = fs::canonical(place.path, code).parent_path();
  std::vector<fs::path> tried = {folder / "../include", folder / "../../../include",
                                 folder / "../../cuda_runtime/include"};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string home = environment(variable); !home.empty())
      tried.push_back(fs::path(home) / "include");
  tried.insert(tried.end(), {"/usr/local/cuda/include", "/opt/cuda/include", "/usr/include"});
  for (const fs::path& include : tried) {
    if (!fs::exists(include / "cuda_fp16.h", code)) continue;
    const fs::path real = fs::canonical(include, code);
    std::vector<std::string> found = {real.string()};
    if (fs::exists(real / "cccl", code)) found.push_back((real / "cccl").string());
    return found;
  }
  return {};
}

Result<NvrtcPlace> find_nvrtc() {
  const std::string hint =
      "install the CUDA toolkit, or set GPX_NVRTC to libnvrtc.so or the folder that holds it";
  if (const std::string given = environment("GPX_NVRTC"); !given.empty()) {
    if (given == kNoNvrtc) return fail(Fault::device, "NVRTC is switched off by GPX_NVRTC");
    std::error_code code;
    const bool folder = fs::is_directory(given, code);
    if (auto place = folder ? in_folder(given) : file_at(given)) return *place;
    return fail(Fault::device,
                folder ? fmt::format("GPX_NVRTC is {}, a folder without libnvrtc.so", given)
                       : fmt::format("GPX_NVRTC is {}, and there is no such file", given),
                hint);
  }
  std::string tried;
  for (const fs::path& folder : folders_to_try()) {
    if (auto place = in_folder(folder)) return *place;
    tried += (tried.empty() ? "" : ", ") + folder.string();
  }
  if (auto place = by_loader()) return *place;
  return fail(Fault::device,
              fmt::format("NVRTC was not found; tried {} and the loader's cache", tried), hint);
}

}  // namespace gpx::codegen
