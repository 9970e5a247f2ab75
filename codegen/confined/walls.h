// Walls: what a process that runs what users wrote may not do, enforced by the kernel.
//
//   memory, CPU time, size of files, open files    RLIMIT_AS, _CPU, _FSIZE, _NOFILE
//   files but those that may be read               Landlock (Linux 5.13 and later)
//   all calls but those that computing needs       seccomp: no sockets, no processes, no signals
//
// A process that becomes another program has no such list of calls: what that program needs is its
// own affair. The limits and the files hold for it.
// Where the kernel has no Landlock or no seccomp the limits still hold; `gpx doctor` says so.
// Covered by tests/codegen/confined_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpx::confined {

struct WallPlan {
  std::uint64_t memory_bytes = 0;     ///< Beyond what the process has now.
  double cpu_seconds = 0;             ///< The kernel ends the process then.
  std::vector<std::string> readable;  ///< Folders and files; all below them.
  std::uint64_t file_bytes = 0;       ///< Of a file without a name that it makes; 0: none.
  std::vector<std::string> runnable;  ///< Likewise, of a program that it becomes and its libraries.
};

/// Puts them up around this process, for good. What the kernel does not have is left out.
void raise_walls(const WallPlan& plan);

/// What this kernel has: "" where a wall stands, else why not.
std::string landlock_missing();
std::string seccomp_missing();

}  // namespace gpx::confined
