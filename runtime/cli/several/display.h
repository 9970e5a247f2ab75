// Progress of several devices: on a terminal one line that is drawn again and again, else, where
// the user wants to hear of it, a line of a device now and then.
// Covered by tests/cli/several_devices_test.cpp.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "runtime/cli/console.h"
#include "runtime/cli/options.h"

namespace gpx::cli {

class DevicesDisplay {
 public:
  DevicesDisplay(const std::vector<std::string>& devices, const Talk& talk, const Console& console);
  ~DevicesDisplay() { clear(); }
  DevicesDisplay(const DevicesDisplay&) = delete;
  DevicesDisplay& operator=(const DevicesDisplay&) = delete;

  /// What a device does.
  void progress(std::size_t device, const std::string& what);
  /// "3.2 s", or why it ended early.
  void ended(std::size_t device, const std::string& how);

 private:
  using Clock = std::chrono::steady_clock;
  struct Shown {
    std::string name, what = "waits";
    Clock::time_point printed{};
  };
  void draw();
  void clear();

  const Console& console_;
  bool draws_, prints_, drawn_ = false;
  std::vector<Shown> devices_;
};

}  // namespace gpx::cli
