#include "runtime/store/run_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace gpx::store {
namespace {

std::string file_of(const std::string& store) {
  return store + "-live";
}

struct flock byte_of(std::int64_t run) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = run;
  lock.l_len = 1;
  return lock;
}

}  // namespace

// Locks of the open file, not of the process (F_SETLK): those end with any close of the file.
Result<RunLock> RunLock::take(const std::string& store, std::int64_t run) {
  RunLock made;
  made.descriptor_ = ::open(file_of(store).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (made.descriptor_ < 0)
    return fail(Fault::device,
                fmt::format("cannot write '{}': {}", file_of(store), std::strerror(errno)));
  struct flock lock = byte_of(run);
  if (::fcntl(made.descriptor_, F_OFD_SETLK, &lock) == 0) return made;
  if (errno == EAGAIN || errno == EACCES)
    return fail(Fault::input, fmt::format("run {} is still running, in another process", run));
  return fail(Fault::device,
              fmt::format("cannot lock '{}': {}", file_of(store), std::strerror(errno)));
}

RunLock::~RunLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool is_held(const std::string& store, std::int64_t run) {
  const int descriptor = ::open(file_of(store).c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct flock lock = byte_of(run);
  const bool held = ::fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  ::close(descriptor);
  return held;
}

}  // namespace gpx::store
