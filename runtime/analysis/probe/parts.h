// What the kinds of probes are made from. Covered by tests/runtime/prober_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "codegen/ir/program.h"
#include "lang/experiment.h"

namespace gpx {

/// Shared memory that a probe's kernel may declare: what the smallest device has, less what a
/// launch takes.
constexpr std::uint64_t kProbeSharedBytes = 15 << 10;

/// One thread, one launch, no warm-up launch; a region that is run before it counts as often as the
/// launch says. Its measure has no body yet.
Experiment probe_experiment();
/// An array that is chased through a list which the launch gives.
Array probe_array(std::string name, Space space, std::uint64_t bytes, std::uint32_t width);

/// A list in ProbeRequest::question(): "0,128,64", "0..1920/128" at equal distances; of many items
/// "4096:96..8388480#" and a digest.
std::string list_text(std::span<const std::uint64_t> list);

/// Sets a scalar of the kernel; nothing where it has none of this name.
void set_scalar(codegen::Launch& launch, const codegen::Kernel& kernel, std::string_view name,
                std::uint64_t value);

}  // namespace gpx
