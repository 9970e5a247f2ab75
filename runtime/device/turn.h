// Turn: one gpx at a time measures on a real device, whoever started it on this machine.
//
// A lock on a file that is named after the device, which the kernel lets go of when its holder
// ends, however it ends. Covered by tests/runtime/turn_test.cpp.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace gpx {

class Turn {
 public:
  Turn() = default;
  Turn(Turn&& other) noexcept : file_(other.file_) { other.file_ = -1; }
  Turn& operator=(Turn&& other) noexcept;
  ~Turn() { release(); }

  /// Waits until no other gpx measures on the device of that UUID, or `stop`. `on_wait` is called
  /// once where it has to. A file that cannot be opened is no reason not to measure: held() is
  /// false then.
  static Turn wait(const std::string& uuid, const std::atomic<bool>* stop,
                   const std::function<void()>& on_wait);
  /// The same for several devices at once. Each process takes them in one order, so that none waits
  /// for a device of another that waits for its own. What is held in the end: none where `stop`
  /// came first.
  static std::vector<Turn> wait(std::vector<std::string> uuids, const std::atomic<bool>* stop,
                                const std::function<void()>& on_wait);
  /// Whether another gpx measures on it now.
  static bool taken(const std::string& uuid);

  bool held() const { return file_ >= 0; }

 private:
  explicit Turn(int file) : file_(file) {}
  void release();

  int file_ = -1;
};

}  // namespace gpx
