// The virtual GPU's only door to the rest of gpx: a device file in, a Backend out.
//
// The device description behind it is a type of runtime/device/vgpu/ alone: no header outside can
// name it, so no analysis can read an answer from it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/device/backend.h"
#include "runtime/device/backend_kind.h"

namespace gpx::vgpu {

/// Virtual GPUs: the devices of stdlib/devices, and device files.
const BackendKind& kind();

/// Opens the device file at `path` (Lua data; docs/devices.md describes the format).
/// `workers`: host threads that simulate points side by side; 0: one for each core. The samples do
/// not depend on it. Errors: unreadable file, and every mistake of the description with its line.
Result<std::unique_ptr<Backend>> open(const std::string& path, unsigned workers = 0);

/// What a backend of machine code takes.
enum class CodeFrom : std::uint8_t {
  source,  ///< What NVRTC compiles, which must be here.
  cubins,  ///< Kernels that are compiled.
};

/// The same device, executing machine code in place of PTX: where its file has the costs of the
/// pipes. nullptr: it cannot.
Result<std::unique_ptr<Backend>> open_machine_code(const std::string& path,
                                                   CodeFrom from = CodeFrom::source);

}  // namespace gpx::vgpu
