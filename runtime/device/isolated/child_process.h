// A process that talks over a socket, and that is gone when this object is.
// Covered by tests/runtime/isolated_backend_test.cpp.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/device/isolated/protocol.h"

namespace gpx {

class ChildProcess {
 public:
  /// Starts `command` with the socket as its standard input, and its standard output joined to
  /// standard error. It has a process group of its own, so that Ctrl-C reaches only this process.
  static Result<std::unique_ptr<ChildProcess>> start(const std::vector<std::string>& command);
  ~ChildProcess() { kill(); }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  protocol::Channel& channel() { return *channel_; }
  pid_t process() const { return process_; }

  /// Kills the process if it still runs, and says how it ended: "was killed by signal 11
  /// (Segmentation fault)", "ended with status 3". It waits a few seconds at most, `hangs`: not for
  /// the process to end by itself.
  std::string kill(bool hangs = false);

 private:
  ChildProcess(pid_t process, int descriptor);
  bool reap(double patience_s);

  pid_t process_;
  bool reaped_ = false;
  int status_ = 0;
  std::unique_ptr<protocol::Channel> channel_;
};

}  // namespace gpx
