// A moment's state of a device, where its backend can read it: clocks, temperature.
// Covered by tests/report/json_read_test.cpp.
#pragma once

#include <optional>
#include <string_view>

namespace gpx {

/// One member for each row of telemetry.def; absent where the device does not tell.
struct Telemetry {
#define GPX_READING(member, ...) std::optional<unsigned> member = {};
#include "runtime/device/telemetry.def"
#undef GPX_READING

  bool operator==(const Telemetry&) const = default;
};

/// visit(key, unit, label, member) for each reading. `State`: Telemetry, const or not.
template <typename State, typename Visit>
void for_each_reading(State& state, Visit&& visit) {
#define GPX_READING(member, unit, label) \
  visit(#member, std::string_view(unit), std::string_view(label), state.member);
#include "runtime/device/telemetry.def"
#undef GPX_READING
}

}  // namespace gpx
