// Timed region: which proof an artifact needs. Interface: codegen/timed_region.h.
#include "codegen/timed_region.h"

namespace gpx::codegen {

std::string_view to_string(RegionReport::Verdict verdict) {
  switch (verdict) {
    case RegionReport::Verdict::verified:
      return "verified";
    case RegionReport::Verdict::unverified:
      return "unverified";
    case RegionReport::Verdict::refused:
      return "refused";
  }
  return "unverified";
}

RegionReport check_timed_region(const Kernel& kernel, const Artifact& artifact) {
  RegionReport ptx = check_ptx(kernel, artifact.ptx);
  if (ptx.verdict != RegionReport::Verdict::verified || artifact.cubin.empty()) return ptx;
  if (!artifact.sass.empty()) return check_sass(kernel, artifact.sass);
  ptx.verdict = RegionReport::Verdict::unverified;
  ptx.reason += "; the machine code was not looked at: no disassembler";
  return ptx;
}

}  // namespace gpx::codegen
