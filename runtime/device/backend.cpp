// Interface: backend.h.
#include "runtime/device/backend.h"

#include <chrono>
#include <thread>

namespace gpx {

double Backend::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Backend::rest(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

}  // namespace gpx
