// Recording: the stages of `--dump` that a device records while it runs. Covered by
// tests/cli/run_command_test.cpp.
#pragma once

#include <set>
#include <string>

#include "lang/try.h"
#include "runtime/device/backend.h"

namespace gpx {

inline constexpr const char* kRecordedStages[] = {"stats", "trace"};

/// Errors: the device does not tell what happens inside it.
inline Result<void> start_recording(Backend& backend, const std::set<std::string>& wanted) {
  for (const char* stage : kRecordedStages)
    if (wanted.contains(stage)) GPX_TRY(backend.record(stage));
  return {};
}

}  // namespace gpx
