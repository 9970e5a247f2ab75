// Confined: work on what users wrote, in a process of its own.
//
// The process is forked at the call: it has the work's inputs by memory, and nothing that it does
// to them is seen here. What it finds comes back as bytes over a socket; on the way it may ask this
// process things (a probe). It cannot write a file, start a process or talk to anyone else
// (walls.h), is ended when its time is over, and is killed at once where `stop` is raised: counting
// inside an interpreter cannot end one long call of a library.
//
// The child runs in a copy of one thread. It may allocate (glibc's fork keeps the allocator whole)
// but must not wait for locks that other threads may have held, nor use a GPU.
// Covered by tests/codegen/confined_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "codegen/confined/channel.h"
#include "lang/diagnostic.h"

namespace gpx::confined {

struct Limits {
  double seconds = 60;  ///< Of the processor; what it waits for answers does not count.
  std::uint64_t memory_bytes = 1u << 30;
  std::vector<std::string> readable = {};  ///< Files and folders.
  std::uint64_t file_bytes = 0;            ///< Of a file without a name.
  /// Held by this process alone while it forks: a lock of those who use what the work uses, whose
  /// own locks would stay closed in the copy. nullptr: none.
  std::shared_mutex* quiet = nullptr;
};

/// Where a script was when its time was over.
struct Place {
  char chunk[64] = {};  ///< As the interpreter calls it; empty: not known.
  int line = 0;
};

/// The work's way to the process that asked for it.
class Asker {
 public:
  explicit Asker(Channel& channel) : channel_(channel) {}
  wire::Bytes ask(wire::Bytes request);
  /// For what is to be known at once, such as a printed line.
  void tell(wire::Bytes news);

 private:
  Channel& channel_;
};

using Work = std::function<wire::Bytes(Asker&)>;
/// What ask() gives, or what is done about tell(), in this process.
using Answer = std::function<wire::Bytes(const wire::Bytes& request)>;

struct Outcome {
  enum class How {
    done,
    late,     ///< Its time was over, at `place`.
    stopped,  ///< `stop` was raised.
    died,     ///< `why`: "was killed by signal 11 (Segmentation fault)".
  };
  How how = How::died;
  wire::Bytes result;
  Place place;
  std::string why;
};

/// `stop` nullptr: what stop_by() said last.
Outcome run(const Limits& limits, const Work& work, const Answer& answer = {},
            const std::atomic<bool>* stop = nullptr);

/// What ends all such work of this process, for those who are not given a `stop`. nullptr: nothing.
void stop_by(const std::atomic<bool>* stop);
/// Whether that asks for it now.
bool is_stopped();

// In the child; elsewhere they do nothing.

/// From now on the work has so many seconds more.
void allow(double seconds);
/// Who tells where the work is: called from a signal's handler, in the middle of anything, so it
/// may only read. nullptr: nobody.
using WhereIsIt = void (*)(void* who, Place& place);
void watch(WhereIsIt where, void* who);

}  // namespace gpx::confined
