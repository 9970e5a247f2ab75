// What a driver reports about a device, as a table. Interface: lua_api.h. Covered by
// tests/runtime/analysis_test.cpp.
#include "runtime/analysis/lua/api.h"

namespace gpx {
namespace {

void set_device_text(lua_State* state, const char* field, const std::string& text) {
  lua_pushstring(state, text.c_str());
  lua_setfield(state, -2, field);
}

void set_device_number(lua_State* state, const char* field, double number) {
  lua_pushnumber(state, number);
  lua_setfield(state, -2, field);
}

}  // namespace

void push_device(lua_State* state, const DeviceInfo& device) {
  lua_newtable(state);
  set_device_text(state, "name", device.name);
  set_device_text(state, "kind", device.kind == DeviceInfo::Kind::cuda ? "cuda" : "virtual");
  set_device_number(state, "sm_major", device.sm_major);
  set_device_number(state, "sm_minor", device.sm_minor);
  set_device_number(state, "sm_count", device.sm_count);
  set_device_number(state, "warp_size", device.warp_size);
  set_device_number(state, "max_threads_per_block", device.max_threads_per_block);
  set_device_number(state, "max_threads_per_sm", device.max_threads_per_sm);
  set_device_number(state, "memory_bytes", static_cast<double>(device.memory_bytes));
  set_device_number(state, "clock_hz", device.clock_hz);
  set_device_number(state, "instruction_bytes", device.instruction_bytes);
}

}  // namespace gpx
