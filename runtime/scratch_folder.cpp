#include "runtime/scratch_folder.h"

#include <cstdlib>
#include <filesystem>

namespace gpx {
namespace fs = std::filesystem;

ScratchFolder::ScratchFolder(const std::string& name) {
  std::error_code error;
  std::string path = (fs::temp_directory_path(error) / ("gpx-" + name + "-XXXXXX")).string();
  if (!error && ::mkdtemp(path.data())) path_ = path;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace gpx
