// The registry: policies.inc, which the build writes, names the files of this folder.
// Interface: policy.h. Covered by tests/vgpu/device_test.cpp.
#include "runtime/device/vgpu/policy/policy.h"

#include <algorithm>

namespace gpx::vgpu::timing {

#define GPX_POLICY(name) extern const Policy name##_policy;
#include "policies.inc"
#undef GPX_POLICY

const std::vector<const Policy*>& policies() {
  static const std::vector<const Policy*> all = {
#define GPX_POLICY(name) &name##_policy,
#include "policies.inc"
#undef GPX_POLICY
  };
  return all;
}

const Policy* find_policy(std::string_view name) {
  const auto found = std::ranges::find(policies(), name, &Policy::name);
  return found == policies().end() ? nullptr : *found;
}

double CacheShape::number(std::string_view field, double absent) const {
  const auto found = settings.find(field);
  return found == settings.end() ? absent : found->second.front();
}

const std::vector<double>& CacheShape::list(std::string_view field) const {
  static const std::vector<double> kNone;
  const auto found = settings.find(field);
  return found == settings.end() ? kNone : found->second;
}

}  // namespace gpx::vgpu::timing
