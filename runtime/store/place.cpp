#include "runtime/store/place.h"

#include <cstdlib>
#include <filesystem>

namespace gpx::store {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

Place find_place(const std::string& option) {
  if (!option.empty()) return {option, true};
  if (std::getenv("GPX_STORE")) {
    const std::string named = variable("GPX_STORE");
    return {named == "off" ? "" : named, true};  // As GPX_CACHE=off.
  }
  std::filesystem::path data = variable("XDG_DATA_HOME");
  if (!data.is_absolute()) {  // As the XDG specification asks.
    const std::string home = variable("HOME");
    if (home.empty()) return {};
    data = std::filesystem::path(home) / ".local" / "share";
  }
  return {(data / "gpx" / "gpx.db").string(), false};
}

}  // namespace gpx::store
