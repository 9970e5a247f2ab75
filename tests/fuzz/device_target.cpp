// Any text as a device file: a description or an error with a place.
#include "runtime/device/vgpu/description/description.h"
#include "targets.h"

namespace gpx::fuzz {

std::string device(const std::string& input) {
  const auto description = vgpu::timing::parse_description("input", input);
  taken = description.has_value();
  if (description) return description->sm.count == 0 ? "a device without an SM" : "";
  for (const Diagnostic& diagnostic : description.error().diagnostics)
    if (diagnostic.message.empty() || !diagnostic.location) return "an error without a place";
  return description.error().diagnostics.empty() ? "an error without a diagnostic" : "";
}

}  // namespace gpx::fuzz
