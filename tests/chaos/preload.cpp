// What chaos puts between gpx and its system, by LD_PRELOAD: a slow disk, a wall clock that jumps,
// a signal that only interrupts calls. Each is off unless its variable is set. Used by chaos.cpp.
#include <dlfcn.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include <atomic>
#include <cstdlib>

namespace {

long setting(const char* name) {
  const char* text = std::getenv(name);
  return text ? std::atol(text) : 0;
}

/// Of libc, below this library.
template <typename Call>
Call next(const char* name) {
  return reinterpret_cast<Call>(::dlsym(RTLD_NEXT, name));
}

/// A number below `most`, another one each time.
unsigned long draw(unsigned long most) {
  static std::atomic<unsigned long> state{static_cast<unsigned long>(setting("CHAOS_SEED")) + 1};
  const unsigned long x = state.fetch_add(0x9e3779b97f4a7c15ul);
  return ((x ^ x >> 31) * 0xbf58476d1ce4e5b9ul >> 33) % most;
}

void be_slow() {
  static const long most_ms = setting("CHAOS_SYNC_MS");
  if (most_ms <= 0) return;
  const timespec pause{0, static_cast<long>(draw(static_cast<unsigned long>(most_ms))) * 1'000'000};
  ::nanosleep(&pause, nullptr);
}

/// Seconds that the wall clock is wrong by; one call in ten changes it.
long jump() {
  static const long most = setting("CHAOS_JUMP_S");
  static std::atomic<long> offset{0};
  if (most > 0 && draw(10) == 0)
    offset = static_cast<long>(draw(2 * static_cast<unsigned long>(most))) - most;
  return offset;
}

void nothing(int) {}

[[gnu::constructor]] void begin() {
  if (setting("CHAOS_SIGNALS") == 0) return;
  struct sigaction action {};
  action.sa_handler = nothing;  // and no SA_RESTART: calls end with EINTR
  ::sigaction(SIGUSR1, &action, nullptr);
}

}  // namespace

extern "C" {

int fsync(int file) {
  static const auto real = next<int (*)(int)>("fsync");
  be_slow();
  return real(file);
}

int fdatasync(int file) {
  static const auto real = next<int (*)(int)>("fdatasync");
  be_slow();
  return real(file);
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static const auto real = next<int (*)(clockid_t, timespec*)>("clock_gettime");
  const int status = real(clock, time);
  if (status == 0 && clock == CLOCK_REALTIME) time->tv_sec += jump();
  return status;
}

int gettimeofday(timeval* time, void*) noexcept {
  timespec now{};
  const int status = clock_gettime(CLOCK_REALTIME, &now);
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return status;
}

time_t time(time_t* out) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}

}  // extern "C"
